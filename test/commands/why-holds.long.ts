import { rename, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { fixFor } from '../../src/model/report/explanations.ts';
import type { PlanReport, Why } from '../../src/model/report/command-reports.ts';
import { unstatedSource } from '../../src/model/report/activity-words.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import type { TrialFolder } from '../support/processes/trial-folder.ts';

let folder: TrialFolder;

beforeEach(async () => {
  folder = await trialFolder({
    timing: { settleMs: 0, removeGraceMs: 0, stopSeconds: 1 },
    folders: [{ name: 'inbox', path: './inbox', names: 'rewrite' }],
  });
});

afterEach(() => folder.remove());

const json = async <T>(...args: string[]): Promise<T> =>
  JSON.parse((await folder.run(...args, '--json')).stdout) as T;
const why = (path: string): Promise<Why> => json('why', path);
const printed = async (...args: string[]) => (await folder.run(...args)).stdout;

describe('why says what the service holds', () => {
  it('names the sharing mode where nothing states one, before the upload, after it and without the file', async () => {
    await folder.write('inbox/a.txt', 'a');
    const byDefault = {
      metadata: { shareInfo: { mode: 'DEFAULT' } },
      sources: { shareInfo: unstatedSource },
    };
    expect(await why('inbox/a.txt')).toMatchObject(byDefault);
    await folder.run('sync');
    expect(await why('inbox/a.txt')).toMatchObject(byDefault);
    expect(await printed('why', 'inbox/a.txt')).toContain(
      `shareInfo: {"mode":"DEFAULT"} (${unstatedSource})`,
    );
    await rm(folder.join('inbox/a.txt'));
    expect(await why('inbox/a.txt')).toMatchObject(byDefault);
  });

  it('names the mode that stays where a sidecar that said NONE states none any more', async () => {
    await folder.write('inbox/a.txt', 'a');
    await folder.write('inbox/a.txt.meta.json', '{"shareInfo": {"mode": "NONE"}}');
    await folder.run('sync');
    await folder.write('inbox/a.txt.meta.json', '{"title": "A"}');
    await folder.run('sync');
    expect(await why('inbox/a.txt')).toMatchObject({
      metadata: { shareInfo: { mode: 'NONE' } },
      sources: { shareInfo: 'the ledger' },
      notes: [expect.stringMatching(/^the sharing mode stays/)],
    });
  });

  it('names the createdTimestamp that went out with the upload, and says that it stays', async () => {
    const createdTimestamp = '2026-01-31T00:00:00Z';
    await folder.write('inbox/a.txt', 'a');
    await folder.write('inbox/a.txt.meta.json', JSON.stringify({ createdTimestamp }));
    await folder.run('sync');
    expect(await why('inbox/a.txt')).toMatchObject({
      sources: { createdTimestamp: 'a.txt.meta.json' },
      notes: [],
    });
    await rm(folder.join('inbox/a.txt.meta.json'));
    await folder.run('sync');
    expect(await why('inbox/a.txt')).toMatchObject({
      metadata: { createdTimestamp },
      sources: { createdTimestamp: 'the ledger' },
      notes: [expect.stringMatching(/^the createdTimestamp stays as it was sent with the upload/)],
    });
  });

  it('names the file name that is sent, and so does plan', async () => {
    await folder.write('inbox/a.b.c.txt', 'a');
    await folder.write('inbox/plain.txt', 'p');
    const { operations } = await json<PlanReport>('plan');
    expect(new Map(operations.map(({ path, sentAs }) => [path, sentAs]))).toEqual(
      new Map([
        ['a.b.c.txt', 'a_b_c.txt'],
        ['plain.txt', null],
      ]),
    );
    expect(await printed('plan')).toMatch(
      /^upload +inbox\/a\.b\.c\.txt \(as a_b_c\.txt, sharing DEFAULT\)$/m,
    );
    await folder.run('sync');
    expect((await why('inbox/a.b.c.txt')).sentAs).toBe('a_b_c.txt');
    expect((await why('inbox/plain.txt')).sentAs).toBeNull();
    expect(await printed('why', 'inbox/a.b.c.txt')).toMatch(/^sent as +a_b_c\.txt$/m);
    await folder.write('inbox/a.b.c.txt', 'changed and longer');
    expect(await printed('plan')).toMatch(/^modify +inbox\/a\.b\.c\.txt \(as a_b_c\.txt, content/m);
  });

  it('says of an imported document that it was imported, and that its mode is not known', async () => {
    await folder.write('inbox/a.txt', 'a');
    await folder.write('list.csv', 'path,docId\na.txt,doc-1\n');
    expect(await folder.run('ledger', 'import', folder.join('list.csv'))).toMatchObject({ code: 0 });
    const story = await why('inbox/a.txt');
    expect(story).toMatchObject({ imported: true, docId: 'doc-1' });
    expect(story.metadata).not.toHaveProperty('shareInfo');
    expect(story.metadata).not.toHaveProperty('createdTimestamp');
    expect(story.notes).toEqual([expect.stringMatching(/^its sharing mode is not known/)]);
    expect(await printed('why', 'inbox/a.txt')).toMatch(/^imported +2/m);
    // What is sent of it does not make it one that ingestd uploaded.
    await folder.write('inbox/a.txt.meta.json', '{"shareInfo": {"mode": "EVERYONE"}}');
    await folder.run('sync');
    expect(await why('inbox/a.txt')).toMatchObject({
      imported: true,
      metadata: { shareInfo: { mode: 'EVERYONE' } },
      fix: fixFor('missing-at-service'),
    });
  });
});

describe('why says what to do', () => {
  it('about a file that is skipped, and nothing about one that is well', async () => {
    await folder.write('inbox/a.exe', 'a');
    await folder.write('inbox/b.txt', 'b');
    expect((await why('inbox/a.exe')).fix).toBe(fixFor('unsupported-type'));
    expect(await printed('why', 'inbox/a.exe')).toContain(fixFor('unsupported-type'));
    expect((await why('inbox/b.txt')).fix).toBeNull();
  });

  it('about attachments whose document was renamed away, and whose they are while it was not', async () => {
    await folder.write('inbox/a.txt', 'a');
    await folder.write('inbox/a.txt.attachments/x.txt', 'x');
    expect(await why('inbox/a.txt.attachments')).toMatchObject({
      verdict: { kind: 'directory', message: 'the attachments of inbox/a.txt' },
      next: 'they are sent with their document; see ingestd why inbox/a.txt',
    });
    await rename(folder.join('inbox/a.txt'), folder.join('inbox/b.txt'));
    expect(await why('inbox/a.txt.attachments')).toMatchObject({
      verdict: {
        kind: 'directory',
        code: 'orphan-attachments',
        message: 'its document is not there, so these attachments are not sent',
      },
      fix: fixFor('orphan-attachments'),
      next: 'nothing until inbox/a.txt exists',
    });
  });
});
