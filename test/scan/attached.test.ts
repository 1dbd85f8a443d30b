import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { rename, truncate, utimes, writeFile } from 'node:fs/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { reasonOf } from '../../src/sync/tasks/task.ts';
import { syncedFolder } from './support/synced-folder.ts';
import type { SyncedFolder } from './support/synced-folder.ts';

let world: SyncedFolder;
afterEach(() => world.close());

const long = new Date(Date.now() - 86_400_000);

/** A folder that is in sync, with a report and what stands beside it for a day. */
async function standing(files: Readonly<Record<string, string>>): Promise<SyncedFolder> {
  const synced = await syncedFolder({
    before: async (inbox) => {
      for (const [path, content] of Object.entries(files)) {
        await inbox.write(path, content);
        await utimes(inbox.join(path), long, long);
      }
    },
  });
  world = synced;
  synced.service.forget();
  return synced;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const recorded = (synced: SyncedFolder, path = 'report.pdf') =>
  synced
    .ledger()
    .get({ folder: 'inbox', path })
    ?.attachments.map((one) => [one.name, one.sha256]);

describe('attachments', () => {
  it('go out when they have settled, and not before', async () => {
    const synced = await standing({ 'report.pdf': 'report' });
    await synced.inbox.write('report.pdf.attachments/x.csv', 'half');
    await synced.timestamp(synced.inbox.join('report.pdf.attachments'));
    await synced.rescan();
    await synced.pass(1_900);
    expect(synced.service.calls).toEqual([]);
    await synced.inbox.write('report.pdf.attachments/x.csv', 'half and half');
    await synced.timestamp(synced.inbox.join('report.pdf.attachments'));
    await synced.rescan();
    await synced.pass(1_900);
    expect(synced.service.calls).toEqual([]);
    await synced.sync();
    expect(synced.service.calls).toEqual(['modify']);
    expect(recorded(synced)).toEqual([['x.csv', sha256('half and half')]]);
  });
});

/** What keeps documents waiting. */
const reasons = (synced: SyncedFolder) =>
  [...synced.engine().tasks.in('waiting')].map((task) => reasonOf(task)?.code);

describe('the file that is an attachment (I5)', () => {
  const sidecar = '{"attachments": ["x.csv"]}';
  const files = { 'a/report.pdf': 'report', 'a/report.pdf.meta.json': sidecar, 'a/x.csv': 'x' };

  it('is one under another name, too, until the sidecar is said to be right without it', async () => {
    const synced = await standing(files);
    await rename(synced.inbox.join('a/x.csv'), synced.inbox.join('a/y.csv'));
    await synced.sync();
    await synced.restart();
    await synced.sync();
    await synced.pass(20_000);
    expect(synced.service.calls).toEqual([]);
    await writeFile(synced.inbox.join('a/report.pdf.meta.json'), '{"attachments": ["y.csv"]}');
    await synced.sync();
    expect(synced.service.calls).toEqual(['modify']);
    expect(recorded(synced, 'a/report.pdf')).toEqual([['y.csv', sha256('x')]]);
  });

  it.each<[string, (join: (path: string) => string) => void]>([
    ['is invalid', (join) => truncateSync(join('a/report.pdf.meta.json'), 10)],
    ['is gone', (join) => rmSync(join('a/report.pdf.meta.json'))],
    ['is empty', (join) => truncateSync(join('a/report.pdf.meta.json'), 0)],
    [
      'is a directory',
      (join) => {
        rmSync(join('a/report.pdf.meta.json'));
        mkdirSync(join('a/report.pdf.meta.json'));
      },
    ],
    [
      'is invalid, and their directory has another name',
      (join) => {
        truncateSync(join('a/report.pdf.meta.json'), 10);
        renameSync(join('a'), join('b'));
      },
    ],
  ])('is one after a restart, too, where the sidecar %s by then', async (_, spoil) => {
    const synced = await standing(files);
    await synced.restart(() => spoil(synced.inbox.join));
    await synced.sync();
    await synced.pass(20_000);
    expect(reasons(synced)).toEqual(['attached-before']);
    expect(synced.service.calls).toEqual([]);
  });

  it('is one after a restart, too, where the sidecar bears the stem of a second document by then', async () => {
    const synced = await standing({ 'r.pdf': 'report', 'r.meta.json': sidecar, 'x.csv': 'x' });
    await synced.restart(() => writeFileSync(synced.inbox.join('r.txt'), 'another'));
    await synced.sync();
    await synced.pass(20_000);
    expect([...synced.engine().tasks.in('failed')].map(({ key }) => key).sort()).toEqual([
      'inbox/r.pdf',
      'inbox/r.txt',
    ]);
    expect(reasons(synced)).toEqual(['attached-before']);
    expect(synced.service.calls).toEqual([]);
  });

  it('is a document of its own when the sidecar drops it, though the service keeps what it has', async () => {
    const synced = await standing(files);
    await writeFile(synced.inbox.join('a/report.pdf.meta.json'), '{}');
    await synced.sync();
    expect(synced.service.calls).toEqual(['upload']);
    await truncate(synced.inbox.join('a/report.pdf.meta.json'), 1);
    await writeFile(synced.inbox.join('a/x.csv'), 'x2');
    await synced.sync();
    expect(synced.service.calls).toEqual(['upload', 'modify']);
  });

  it('is replaced by its own document, which moves to its path and keeps its docId', async () => {
    const synced = await standing(files);
    const docId = synced.docIds().get('a/report.pdf');
    await rename(synced.inbox.join('a/report.pdf'), synced.inbox.join('a/x.csv'));
    await synced.sync();
    await synced.pass(20_000);
    expect(synced.service.calls).not.toContain('upload');
    expect([...synced.docIds()]).toEqual([['a/x.csv', docId]]);
  });
});
