import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import type { Why, PlanReport } from '../../src/model/report/command-reports.ts';
import type { Status } from '../../src/model/report/status.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import type { TrialFolder } from '../support/processes/trial-folder.ts';

let folder: TrialFolder;

beforeEach(async () => {
  folder = await trialFolder({
    timing: { settleMs: 0, removeGraceMs: 0, stopSeconds: 1 },
    folders: [
      { name: 'inbox', path: './inbox', ignore: ['*.bak.txt'], metadata: { sourceType: 'mail' } },
      { name: 'paired', path: './paired', sidecar: 'required' },
    ],
  });
  await mkdir(folder.join('paired'), { recursive: true });
});

afterEach(() => folder.remove());

const json = async <T>(...args: string[]): Promise<T> => {
  const { stdout, stderr } = await folder.run(...args, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as T;
};
const why = (path: string): Promise<Why> => json('why', path);

it('why names the rule and its line, the document of a sidecar, and where each field comes from', async () => {
  await folder.write('inbox/.ingestignore', '# not these\n*.csv\n\ndrafts/\n');
  await folder.write('inbox/a.csv', '1');
  await folder.write('inbox/old.bak.txt', '1');
  await folder.write('inbox/drafts/x.txt', '1');
  await folder.write('inbox/sub/.meta.json', '{"documentUrl": "https://example.org/"}');
  await folder.write('inbox/sub/r.txt', 'text');
  await folder.write('inbox/sub/r.txt.meta.json', '{"title": "R"}');
  await folder.write('inbox/bad.txt', 'text');
  await folder.write('inbox/bad.txt.meta.json', '{"titel": "R"}');
  await folder.write('inbox/two.txt', 'text');
  await folder.write('inbox/two.pdf', 'text');
  await folder.write('inbox/two.meta.json', '{}');
  await folder.write('paired/p.txt', 'text');

  expect((await why('inbox/a.csv')).verdict).toEqual({
    kind: 'ignored',
    code: 'ignore-rule',
    message: 'the pattern "*.csv" in .ingestignore:2 ignores it',
  });
  expect((await why('inbox/old.bak.txt')).verdict.message).toBe(
    'the pattern "*.bak.txt" in the setting "ignore" of the folder "inbox" ignores it',
  );
  expect((await why('inbox/drafts/x.txt')).verdict.message).toBe(
    'the pattern "drafts/" in .ingestignore:4 ignores the directory drafts',
  );
  expect(await why('inbox/sub/r.txt')).toMatchObject({
    sources: {
      title: 'sub/r.txt.meta.json',
      documentUrl: 'sub/.meta.json',
      sourceType: 'folder settings',
      createdTimestamp: 'modification time',
    },
  });
  expect(await why('inbox/sub/r.txt.meta.json')).toMatchObject({
    verdict: { code: 'sidecar', message: 'the sidecar of sub/r.txt' },
    notes: [],
  });
  expect((await why('inbox/bad.txt.meta.json')).notes).toEqual([
    expect.stringMatching(/^its document inbox\/bad\.txt is not sent: bad\.txt\.meta\.json: .*titel/),
  ]);
  expect((await why('inbox/two.meta.json')).verdict.message).toMatch(
    /^it could be the sidecar of two\.\w+ and two\.\w+, so none of them is sent/,
  );
  expect((await why('inbox/sub/.meta.json')).verdict.message).toBe(
    'metadata for the documents in sub and below',
  );
  expect(await why('paired/p.txt')).toMatchObject({
    verdict: { kind: 'waiting', message: 'waiting for its sidecar p.txt.meta.json' },
    next: 'nothing until the sidecar exists; then it is sent',
  });
}, 120_000);

it('why and plan agree about each kind of file', async () => {
  for (const name of ['kept', 'edited', 'gone', 'moved', 'ignored'])
    await folder.write(`inbox/${name}.txt`, name);
  expect((await folder.run('sync')).code).toBe(0);
  await writeFile(folder.join('inbox/edited.txt'), 'edited and longer');
  await rm(folder.join('inbox/gone.txt'));
  await rename(folder.join('inbox/moved.txt'), folder.join('inbox/there.txt'));
  await folder.write('inbox/.ingestignore', 'ignored.txt\n');
  await folder.write('inbox/new.txt', 'new');
  await folder.write('inbox/two.dots.txt', 'unfit');
  await folder.write('inbox/a.exe', 'skipped');
  await folder.write('paired/p.txt', 'waiting');

  const { operations } = await json<PlanReport>('plan');
  const planned = (path: string) => operations.filter((one) => `${one.folder}/${one.path}` === path);
  const kinds = (path: string) => planned(path).map(({ kind }) => kind);
  const next = async (path: string) => (await why(path)).next;

  expect(kinds('inbox/kept.txt')).toEqual([]);
  expect(await next('inbox/kept.txt')).toBe('nothing; the service has the current version');
  expect(kinds('inbox/edited.txt')).toEqual(['modify']);
  expect(await next('inbox/edited.txt')).toMatch(/^its changes are sent when ingestd runs \(content/);
  expect(kinds('inbox/gone.txt')).toEqual(['delete']);
  expect(await next('inbox/gone.txt')).toBe('its document is deleted at the service when ingestd runs');
  expect(kinds('inbox/there.txt')).toContain('move');
  expect(await next('inbox/there.txt')).toBe('its changes are sent when ingestd runs (title)');
  expect(await why('inbox/moved.txt')).toMatchObject({
    verdict: { message: 'the file was moved to inbox/there.txt, and its document with it' },
    next: 'nothing',
  });
  expect(kinds('inbox/ignored.txt')).toEqual([]);
  expect(await next('inbox/ignored.txt')).toBe(
    'nothing; its document stays at the service as it was last sent',
  );
  expect(kinds('inbox/new.txt')).toEqual(['upload']);
  expect(await next('inbox/new.txt')).toBe('it is uploaded when ingestd runs');
  expect(kinds('inbox/two.dots.txt')).toEqual(['failed']);
  expect(await why('inbox/two.dots.txt')).toMatchObject({
    verdict: { kind: 'unfit', message: planned('inbox/two.dots.txt')[0]?.message },
    next: 'nothing until that is fixed; then it is sent',
  });
  expect(kinds('inbox/a.exe')).toEqual([]);
  expect(await why('inbox/a.exe')).toMatchObject({ verdict: { kind: 'skipped' }, next: 'nothing' });
  expect(kinds('paired/p.txt')).toEqual(['waiting']);
  expect(await next('paired/p.txt')).toBe('nothing until the sidecar exists; then it is sent');

  // Said once, and not again: by the log, with where the document is.
  const said = 'the document stays at the service as it was last sent';
  expect((await folder.run('sync')).stderr).toContain(said);
  expect((await folder.run('sync')).stderr).not.toContain(said);
}, 120_000);

it('what went out as an attachment is one while the sidecar is invalid, for every command without a daemon', async () => {
  await folder.write('inbox/a.pdf', 'a');
  await folder.write('inbox/x.pdf', 'x');
  await folder.write('inbox/a.pdf.meta.json', '{"attachments": ["x.pdf"]}');
  expect(await folder.run('sync')).toMatchObject({ code: 0 });
  await folder.write('inbox/a.pdf.meta.json', '{"attach');
  const { counts } = await json<PlanReport>('plan');
  expect(counts).toMatchObject({ upload: 0, waiting: 0, failed: 1 });
  const { folders } = await json<Status>('status');
  expect(folders[0]).toMatchObject({ onDisk: 1, waiting: 0, attached: 1 });
  expect((await why('inbox/x.pdf')).verdict).toMatchObject({ code: 'attachment' });
  const report = JSON.parse((await folder.run('sync', '--json')).stdout) as { readonly waiting: unknown };
  expect(report.waiting).toEqual([]);
});
