import { mkdir, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { stringify } from 'yaml';

import type { Why, CheckFinding, PlanReport } from '../../src/model/report/command-reports.ts';
import type { Status } from '../../src/model/report/status.ts';
import { inProcess } from '../support/processes/in-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const configure = (at: string, rules: Readonly<Record<string, unknown>>) =>
  folder.write(
    `${at}/ingestd.yaml`,
    stringify({
      service: { mode: 'embedded' },
      folders: [{ name: 'inbox', path: './inbox', ...rules }],
      state: { dir: './state' },
      timing: { settleMs: 0, removeGraceMs: 0, stopSeconds: 1 },
      http: { port: false },
    }),
  );

const run = (at: string, ...args: string[]) =>
  inProcess([...args, '--config', folder.join(at, 'ingestd.yaml')], { cwd: folder.path });

/** What commands say of a folder, without what differs between two runs of the same story. */
async function observed(at: string): Promise<unknown> {
  const json = async <T>(...args: string[]): Promise<T> => JSON.parse((await run(at, ...args)).stdout) as T;
  const { operations } = await json<PlanReport>('plan', '--json');
  const sync = await run(at, 'sync');
  const { folders, failures, skipped, held } = await json<Status>('status', '--json');
  const { documents } = await json<{ documents: { path: string; size: number }[] }>(
    'ledger',
    'export',
    '--json',
  );
  const check = await json<{ findings: CheckFinding[] }>('check', '--json');
  const next = [];
  for (const path of ['a.pdf', 'b.txt', 'c.csv'])
    next.push((await json<Why>('why', `inbox/${path}`, '--json')).next);
  return {
    operations: operations.map(({ docId: _docId, ...rest }) => rest),
    exit: sync.code,
    folders: folders.map(({ path: _path, ...rest }) => rest),
    lists: [failures, skipped, held],
    documents: documents.map(({ path, size }) => [path, size]),
    findings: check.findings.map(({ code, subject }) => [code, subject]),
    next,
  };
}

/** Three documents are delivered, then the rules leave out two, and then their files change and go. */
async function story(at: string, rules: Readonly<Record<string, unknown>>): Promise<readonly unknown[]> {
  await mkdir(folder.join(at), { recursive: true });
  await configure(at, {});
  for (const name of ['a.pdf', 'b.txt', 'c.csv']) await folder.write(`${at}/inbox/${name}`, name);
  await folder.write(`${at}/inbox/b.txt.meta.json`, '{"title": "B"}');
  expect(await run(at, 'sync')).toMatchObject({ code: 0 });
  await configure(at, rules);
  const told = await observed(at);
  await writeFile(folder.join(at, 'inbox/b.txt'), 'changed');
  await rm(folder.join(at, 'inbox/c.csv'));
  const later = await observed(at);
  await configure(at, {});
  return [told, later, await observed(at)];
}

it('a document that is no longer included is treated as one that is newly ignored: kept, neither sent nor deleted', async () => {
  const ignored = await story('ignored', { ignore: ['*.txt', '*.csv'] });
  const excluded = await story('excluded', { include: ['*.pdf'] });
  expect(excluded).toEqual(ignored);
  expect(excluded).toMatchObject([
    {
      operations: [],
      exit: 0,
      documents: [
        ['a.pdf', 5],
        ['b.txt', 5],
        ['c.csv', 5],
      ],
    },
    {
      operations: [],
      exit: 0,
      documents: [
        ['a.pdf', 5],
        ['b.txt', 5],
        ['c.csv', 5],
      ],
    },
    {
      operations: [
        { kind: 'modify', path: 'b.txt' },
        { kind: 'delete', path: 'c.csv' },
      ],
      exit: 0,
    },
  ]);
}, 180_000);

it('why names the rule', async () => {
  await configure('.', { include: ['reports/', '*.pdf', '!draft.pdf'] });
  for (const name of ['a.txt', 'draft.pdf', 'reports/b.txt']) await folder.write(`inbox/${name}`, name);
  const verdict = async (path: string) =>
    (JSON.parse((await run('.', 'why', path, '--json')).stdout) as Why).verdict;
  expect(await verdict('inbox/a.txt')).toEqual({
    kind: 'ignored',
    code: 'not-included',
    message: 'no pattern in the setting "include" of the folder "inbox" matches it',
  });
  expect((await verdict('inbox/draft.pdf')).message).toBe(
    'the pattern "!draft.pdf" in the setting "include" of the folder "inbox" excludes it',
  );
  expect(await verdict('inbox/reports/b.txt')).toMatchObject({ kind: 'document' });
}, 60_000);

it.each([
  [['!*.tmp'], /folders\[0\]\.include: .*the patterns include nothing/],
  [['**/a/**/b/**/c.pdf'], /folders\[0\]\.include\[0\]: .*more than 2 "\*\*"/],
  [[''], /folders\[0\]\.include\[0\]/],
])('patterns %j are refused', async (include, message) => {
  await configure('.', { include });
  expect(await run('.', 'check')).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});
