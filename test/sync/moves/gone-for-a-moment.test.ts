import { writeFileSync } from 'node:fs';
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { syncedFolder } from '../../scan/support/synced-folder.ts';
import type { SyncedFolder } from '../../scan/support/synced-folder.ts';
import { busyOf } from '../../support/fixtures/model-fixtures.ts';
import { diskWorld } from '../../support/worlds/disk-world.ts';

let world: SyncedFolder;
let opened: { readonly close: () => Promise<void> };
afterEach(async () => opened.close());

const at = (path: string) => world.inbox.join(path);
/** A real folder below a clock in hand, in which these files stand and are in sync. */
async function openDisk(files: Readonly<Record<string, string>>): ReturnType<typeof diskWorld> {
  const disk = await diskWorld();
  opened = disk;
  await disk.change(({ write }) => {
    for (const [path, text] of Object.entries(files)) write(path, text);
  });
  await disk.quiesce();
  return disk;
}

const none = '{"shareInfo":{"mode":"NONE"}}';
const invalidRules = 'x\n'.repeat(1_001);

/** The disk as it is now is known, and so much time passes. */
async function after(ms: number): Promise<void> {
  await world.timestamp(world.inbox.path);
  await world.rescan();
  await world.pass(ms);
}

describe('I2: a document whose file is saved again and again by unlink and recreate', () => {
  it('is deleted when its path has been empty for the whole grace period, and not before', async () => {
    opened = world = await syncedFolder({ before: (inbox) => inbox.write('a.txt', 'a') });
    world.service.forget();
    for (let save = 0; save < 4; save += 1) {
      await rm(at('a.txt'));
      await after(500);
      await writeFile(at('a.txt'), `half ${save}`);
      await after(1_500);
    }
    await rm(at('a.txt'));
    await after(4_500);
    expect(world.service.calls).toEqual([]);
    await writeFile(at('a.txt'), 'whole');
    await after(10_000);
    expect(world.service.calls).toEqual(['modify']);
    await rm(at('a.txt'));
    await after(10_000);
    expect(world.service.calls).toEqual(['modify', 'delete']);
  });
});

describe('I1: a file that is moved out of a directory below an ignore file that is not valid', () => {
  it.each([
    ['itself', 'd/a.txt', 'a.txt', ''],
    ['with its directory', 'd/e', 'f', ''],
    ['itself, where the rules before ignored it', 'd/a.txt', 'a.txt', '*.txt\n'],
  ])('keeps its document: %s', async (_, from, to, rules) => {
    const before = async (inbox: SyncedFolder['inbox']) => {
      await mkdir(inbox.join('d/e'), { recursive: true });
      await writeFile(inbox.join('d/a.txt'), 'a');
      await writeFile(inbox.join('d/e/c.txt'), 'c');
    };
    opened = world = await syncedFolder({ before });
    const known = [...world.docIds().values()].sort();
    await writeFile(at('d/.ingestignore'), rules);
    await after(10_000);
    await writeFile(at('d/.ingestignore'), invalidRules);
    await after(10_000);
    world.service.forget();
    await rename(at(from), at(to));
    await after(30_000);
    expect(world.service.calls).toEqual([]);
    await rm(at('d/.ingestignore'));
    await after(30_000);
    expect(world.service.calls).toEqual([]);
    expect([...world.docIds().values()].sort()).toEqual(known);
    expect(world.docIds().has(to === 'f' ? 'f/c.txt' : 'a.txt')).toBe(true);
  });
});

describe('what lay in a directory that was removed and is ignored since', () => {
  it.each([
    ['d', '.ingestignore', 'd/'],
    ['d/e', '.ingestignore', 'd/e/'],
    ['d/e', 'd/.ingestignore', 'e/'],
  ])('is kept while the rule stands, and deleted when it goes (7.18): %s, %s', async (gone, file, rule) => {
    opened = world = await syncedFolder({ before: (inbox) => inbox.write('d/e/a.txt', 'a') });
    world.service.forget();
    await rm(at(gone), { recursive: true });
    await after(500);
    await writeFile(at(file), `${rule}\n`);
    await after(30_000);
    expect(world.service.calls).toEqual([]);
    await rm(at(file));
    await after(60_000);
    expect(world.service.calls).toEqual(['delete']);
  });

  it('is deleted when the directory above it is renamed, and the rule goes with that', async () => {
    opened = world = await syncedFolder({
      before: async (inbox) => {
        for (const path of ['p/d/x.txt', 'p/y.txt']) await inbox.write(path, path);
      },
    });
    world.service.forget();
    await writeFile(at('p/.ingestignore'), 'd/\n');
    await rm(at('p/d'), { recursive: true });
    await after(30_000);
    await rename(at('p'), at('q'));
    await world.rescan('poll');
    await world.pass(60_000);
    expect(world.service.calls).toEqual(['delete']);
    expect([...world.docIds().keys()]).toEqual(['q/y.txt']);
  });
});

describe('I6: while the root cannot be listed', () => {
  it.each([
    ['an ignore file', '.ingestignore', 'new.txt\n', 'new.txt'],
    ['a sidecar', 'new.txt.meta.json', none, 'new.txt'],
  ])('%s that went meanwhile is waited for when it can be listed again', async (_, path, text, document) => {
    const disk = await openDisk({ 'd/a.txt': 'a', [path]: text });
    await disk.change(({ write }) => {
      write('.ingestignore', invalidRules);
      write(document, 'new');
    });
    await disk.pass(10_000);
    await disk.quiesce();
    expect(disk.service.calls).toEqual(['upload']);
    await disk.change(({ remove }) => {
      remove(path);
      if (path !== '.ingestignore') remove('.ingestignore');
    });
    for (let second = 0; second < 4; second += 1) await disk.pass(1_000);
    expect(disk.service.calls).toEqual(['upload']);
    await disk.change(({ write }) => write(path, text));
    await disk.quiesce();
    const modes = disk.service.parts.map(({ metadata }) => metadata?.shareInfo?.mode);
    expect(modes.slice(1)).toEqual(path === '.ingestignore' ? [] : ['NONE']);
  });
});

describe('I6: a document that was never sent and is renamed before its sidecar', () => {
  it.each([
    ['failed', 'plan.v1.txt', 0],
    ['waits for its next attempt', 'plan.txt', 3],
  ])('does not go out without it where it %s', async (_, name, failures) => {
    opened = world = await syncedFolder();
    for (let time = 0; time < failures; time += 1) world.service.failNext(busyOf({ sent: 'nothing' }));
    await world.inbox.write(`${name}.meta.json`, none);
    await world.inbox.write(name, 'secret');
    await after(2_500);
    await rename(at(name), at('done.txt'));
    await after(3_500);
    await rename(at(`${name}.meta.json`), at('done.txt.meta.json'));
    await after(600_000);
    expect(world.held()).toEqual({ 'done.txt': 'secret' });
    const modes = world.service.parts.map(({ metadata }) => metadata?.shareInfo?.mode);
    expect(modes).toEqual(['NONE']);
  });

  it('is private without it where it takes the place of a document', async () => {
    opened = world = await syncedFolder({ before: (inbox) => inbox.write('done.txt', 'public') });
    await world.inbox.write('plan.v1.txt.meta.json', none);
    await world.inbox.write('plan.v1.txt', 'secret');
    await after(6_000);
    await rename(at('plan.v1.txt'), at('done.txt'));
    await after(3_500);
    expect(world.held()).toEqual({ 'done.txt': 'secret' });
    // First of all the mode.
    const modes = world.service.parts.map(({ metadata }) => metadata?.shareInfo?.mode);
    expect(modes).toEqual([undefined, 'NONE', undefined]);
    await rename(at('plan.v1.txt.meta.json'), at('done.txt.meta.json'));
    await after(10_000);
    expect(world.service.calls).toEqual(['upload', 'modify', 'modify']);
  });

  it('is private without it where it is renamed once more, and where its sidecar is removed', async () => {
    opened = world = await syncedFolder();
    await world.inbox.write('plan.v1.txt.meta.json', none);
    await world.inbox.write('plan.v1.txt', 'plan');
    await after(2_500);
    for (const [from, to] of [
      ['plan.v1.txt', 'draft.v1.txt'],
      ['draft.v1.txt', 'done.txt'],
    ] as const) {
      await rename(at(from), at(to));
      await after(3_500);
    }
    await rm(at('plan.v1.txt.meta.json'));
    await after(10_000);
    expect(world.held()).toEqual({ 'done.txt': 'plan' });
    expect(world.service.parts.map(({ metadata }) => metadata?.shareInfo?.mode)).toEqual(['NONE']);
  });
});

describe('I6: a document that was never sent, when the process is killed', () => {
  it.each([
    ['a sidecar', 'new.txt.meta.json', none, 3_000, ['NONE']],
    ['a .meta.json', '.meta.json', none, 3_000, ['NONE']],
    ['an ignore file', '.ingestignore', 'new.txt\n', 3_000, []],
    ['a sidecar', 'new.txt.meta.json', none, 8_000, ['EVERYONE', 'NONE']],
  ])('waits for %s that is gone for a moment just then', async (_, path, text, goneMs, modes) => {
    const disk = await openDisk({ 'x.y.txt': 'a document that cannot be sent', [path]: text });
    const sent: unknown[] = [];
    disk.service.observe(({ metadata }) => sent.push(metadata?.shareInfo?.mode));
    await disk.change(({ rename }) => rename(path, '~/aside'));
    await disk.restart(() => writeFileSync(disk.place('new.txt'), 'new'));
    await disk.pass(goneMs);
    await disk.change(({ rename }) => rename('~/aside', path));
    await disk.quiesce();
    expect(sent).toEqual(modes);
  });
});

describe('F20: a document that is gone, beside a file whose name is not UTF-8', () => {
  const odd = () =>
    Buffer.concat([Buffer.from(`${world.inbox.path}/`), Buffer.of(0xff), Buffer.from('.txt')]);

  it.each([
    ['is deleted', async () => rm(at('a.txt')), ['upload', 'upload', 'delete'], 0],
    ['is kept where that is its own file', async () => rename(at('a.txt'), odd()), ['upload', 'upload'], 1],
  ])('%s', async (_, remove, calls, kept) => {
    const before = async (inbox: SyncedFolder['inbox']) => {
      await inbox.write('a.txt', 'a');
      await inbox.write('b.txt', 'b');
    };
    opened = world = await syncedFolder({ before });
    await writeFile(odd(), 'odd');
    await world.rescan();
    await world.pass(70_000);
    await remove();
    const now = new Date(world.clock.now());
    await utimes(world.inbox.path, now, now);
    await world.sync();
    await world.sync();
    expect(world.service.calls).toEqual(calls);
    expect(world.engine().tasks.in('dormant').size).toBe(kept);
  });
});

describe('I5: a document whose attachment is ignored for a while', () => {
  it.each([
    ['beside it', '', 'x.csv'],
    ['below it, by a rule in a directory', 'd/', 'e/x.csv'],
    ['below it, by a rule of its own directory', 'd/e/', 'e/x.csv'],
  ])('is sent when the rules let it again: %s', async (_, place, attachment) => {
    const directory = place === '' ? '' : 'd/';
    const disk = await openDisk({
      [`${directory}a.txt`]: 'a',
      [`${directory}${attachment}`]: 'x',
      [`${directory}a.txt.meta.json`]: JSON.stringify({ attachments: [attachment] }),
    });
    await disk.change(({ write }) => write(`${place}.ingestignore`, '*.csv\n'));
    await disk.change(({ write }) => write(`${directory}a.txt`, 'another'));
    await disk.quiesce();
    expect(disk.service.calls).toEqual(['upload']);
    await disk.change(({ write }) => write(`${place}.ingestignore`, 'b.txt\n'));
    await disk.quiesce();
    expect(disk.service.calls).toEqual(['upload', 'modify']);
  });
});

describe('I1: a directory that is renamed while the sidecar of its only document is not valid', () => {
  it.each([
    ['beside the document', 'd', 'f', 'x.csv'],
    ['below it', 'd', 'f', 'parts/x.csv'],
    ['with a directory above it', 'd/e', 'f/e', 'x.csv'],
  ])('brings its attachments, also one that is saved anew: %s', async (_, from, to, attachment) => {
    const sidecar = JSON.stringify({ attachments: [attachment] });
    const disk = await openDisk({
      [`${from}/a.txt`]: 'a',
      [`${from}/${attachment}`]: 'x',
      [`${from}/a.txt.meta.json`]: sidecar,
    });
    await disk.change(({ write }) => write(`${from}/a.txt.meta.json`, '{"sha'));
    await disk.pass(10_000);
    await disk.change(({ rename }) => rename('d', 'f'));
    await disk.pass(10_000);
    await disk.change(({ write, rename }) => {
      write(`${to}/half.tmp`, 'another');
      rename(`${to}/half.tmp`, `${to}/${attachment}`);
    });
    await disk.pass(30_000);
    expect(disk.service.calls).toEqual(['upload']);
    await disk.change(({ write }) => write(`${to}/a.txt.meta.json`, sidecar));
    await disk.pass(60_000);
    expect(disk.service.calls).toEqual(['upload', 'modify']);
  });
});

describe('I1: a file that is moved on while its record is being written down at the place before', () => {
  it('keeps its document, also where a new file stands at its first path by then', async () => {
    let slowMs = 0;
    const disk = await diskWorld({ slow: () => slowMs });
    opened = disk;
    await disk.change(({ write }) => write('a.txt', 'a'));
    await disk.quiesce();
    const docId = disk.docIds().get('a.txt');
    slowMs = 3_000;
    await disk.change(({ rename }) => rename('a.txt', 'b.txt'));
    for (let step = 0; step < 25; step += 1) await disk.pass(100);
    await disk.change(({ rename, write }) => {
      rename('b.txt', 'c.txt');
      write('a.txt', 'new');
    });
    for (let step = 0; step < 5; step += 1) await disk.pass(100);
    slowMs = 0;
    await disk.quiesce();
    await disk.pass(61_000);
    await disk.quiesce();
    expect(disk.docIds().get('c.txt')).toBe(docId);
    expect([...disk.docIds().keys()].sort()).toEqual(['a.txt', 'c.txt']);
    expect(disk.service.documents.size).toBe(2);
  });
});
