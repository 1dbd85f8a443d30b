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
async function standing(files: Readonly<Record<string, string>>): Promise<void> {
  world = await syncedFolder({
    before: async (inbox) => {
      for (const [path, content] of Object.entries(files)) {
        await inbox.write(path, content);
        await utimes(inbox.join(path), long, long);
      }
    },
  });
  world.service.forget();
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const recorded = (path = 'report.pdf') =>
  world
    .ledger()
    .get({ folder: 'inbox', path })
    ?.attachments.map((one) => [one.name, one.sha256]);

describe('attachments', () => {
  it('go out when they have settled, and not before', async () => {
    await standing({ 'report.pdf': 'report' });
    for (const content of ['half', 'half and half']) {
      await world.inbox.write('report.pdf.attachments/x.csv', content);
      await world.timestamp(world.inbox.join('report.pdf.attachments'));
      await world.rescan();
      await world.pass(1_900);
      expect(world.service.calls).toEqual([]);
    }
    await world.sync();
    expect(world.service.calls).toEqual(['modify']);
    expect(recorded()).toEqual([['x.csv', sha256('half and half')]]);
  });
});

describe('an attachment that has attachments of its own', () => {
  it.each(['x.csv.meta.json', 'd/x.csv.meta.json'])(
    'is sent with its document as soon as its own sidecar lists none: %s',
    async (sidecar) => {
      const attachment = sidecar.replace('.meta.json', '');
      await standing({
        'report.pdf': 'report',
        'report.pdf.meta.json': `{"attachments": ["${attachment}"]}`,
        [attachment]: 'x',
        'd/y.csv': 'y',
        'y.csv': 'y',
        [sidecar]: '{"attachments": ["y.csv"]}',
      });
      await world.sync();
      expect(world.engine().tasks.counts('inbox').failed).toBe(1);
      await world.inbox.write(sidecar, '{}');
      await world.sync();
      await world.pass(60_000);
      expect([world.engine().tasks.counts('inbox').failed, recorded()]).toEqual([
        0,
        [['x.csv', sha256('x')]],
      ]);
    },
  );
});

describe('an attachment below an ignore file that is not UTF-8', () => {
  it('is not sent until that is fixed, seen by a scan or not', async () => {
    await standing({
      'report.pdf': 'report',
      'report.pdf.meta.json': '{"attachments": ["data/x.csv"]}',
      'data/x.csv': 'x',
    });
    await writeFile(world.inbox.join('data/.ingestignore'), Buffer.from('\uFEFF*.tmp', 'utf16le'));
    await world.inbox.write('data/x.csv', 'changed');
    const verdict = async () => (await world.port().inspect('report.pdf')).kind;
    expect(await verdict()).not.toBe('document');
    await world.sync();
    expect([await verdict(), world.service.calls]).toEqual(['unknown', []]);
    await world.inbox.write('data/.ingestignore', '*.tmp');
    await world.sync();
    expect([world.service.calls, recorded()]).toEqual([['modify'], [['x.csv', sha256('changed')]]]);
  });
});

/** What keeps documents waiting. */
const reasons = () => [...world.engine().tasks.in('waiting')].map((task) => reasonOf(task)?.code);

describe('the file that is an attachment (I5)', () => {
  const sidecar = '{"attachments": ["x.csv"]}';
  const files = { 'a/report.pdf': 'report', 'a/report.pdf.meta.json': sidecar, 'a/x.csv': 'x' };

  it('is one under another name, too, until the sidecar is said to be right without it', async () => {
    await standing(files);
    await rename(world.inbox.join('a/x.csv'), world.inbox.join('a/y.csv'));
    await world.sync();
    await world.restart();
    await world.sync();
    await world.pass(20_000);
    expect(world.service.calls).toEqual([]);
    await writeFile(world.inbox.join('a/report.pdf.meta.json'), '{"attachments": ["y.csv"]}');
    await world.sync();
    expect(world.service.calls).toEqual(['modify']);
    expect(recorded('a/report.pdf')).toEqual([['y.csv', sha256('x')]]);
  });

  it.each<[name: string, spoil: (join: (path: string) => string) => void, expected?: readonly string[]]>([
    ['is invalid', (join) => truncateSync(join('a/report.pdf.meta.json'), 10)],
    // It goes out as before.
    ['is gone', (join) => rmSync(join('a/report.pdf.meta.json')), []],
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
  ])(
    'is one after a restart, too, where the sidecar %s by then',
    async (_, spoil, expected = ['attached-before']) => {
      await standing(files);
      await world.restart(() => spoil(world.inbox.join));
      await world.sync();
      await world.pass(20_000);
      expect([reasons(), world.port().health().attached]).toEqual([expected, expected.length === 0 ? 1 : 0]);
      expect(world.service.calls).toEqual([]);
    },
  );

  it('is one after a restart, too, where the sidecar bears the stem of a second document by then', async () => {
    await standing({ 'r.pdf': 'report', 'r.meta.json': sidecar, 'x.csv': 'x' });
    await world.restart(() => writeFileSync(world.inbox.join('r.txt'), 'another'));
    await world.sync();
    await world.pass(20_000);
    expect([...world.engine().tasks.in('failed')].map(({ key }) => key).sort()).toEqual([
      'inbox/r.pdf',
      'inbox/r.txt',
    ]);
    expect(reasons()).toEqual(['attached-before']);
    expect(world.service.calls).toEqual([]);
  });

  it('is a document of its own when the sidecar drops it, though the service keeps what it has', async () => {
    await standing(files);
    await writeFile(world.inbox.join('a/report.pdf.meta.json'), '{}');
    await world.sync();
    expect(world.service.calls).toEqual(['upload']);
    await truncate(world.inbox.join('a/report.pdf.meta.json'), 1);
    await writeFile(world.inbox.join('a/x.csv'), 'x2');
    await world.sync();
    expect(world.service.calls).toEqual(['upload', 'modify']);
  });

  it('is replaced by its own document, which moves to its path and keeps its docId', async () => {
    await standing(files);
    const docId = world.docIds().get('a/report.pdf');
    await rename(world.inbox.join('a/report.pdf'), world.inbox.join('a/x.csv'));
    await world.sync();
    await world.pass(20_000);
    expect(world.service.calls).not.toContain('upload');
    expect([...world.docIds()]).toEqual([['a/x.csv', docId]]);
  });
});
