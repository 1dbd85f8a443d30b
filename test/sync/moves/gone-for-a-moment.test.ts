import { writeFileSync } from 'node:fs';
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { syncedFolder } from '../../scan/support/synced-folder.ts';
import type { SyncedFolder } from '../../scan/support/synced-folder.ts';
import { busyOf } from '../../support/fixtures/model-fixtures.ts';
import { engineWorld } from '../../support/worlds/engine-world.ts';

let world: SyncedFolder;
let opened: { readonly close: () => Promise<void> };
afterEach(async () => opened.close());

const at = (path: string) => world.inbox.join(path);
/** A folder in which these files stand and are in sync. */
async function openWith(files: Readonly<Record<string, string>>): Promise<void> {
  const before = async (inbox: SyncedFolder['inbox']) => {
    for (const [path, text] of Object.entries(files)) await inbox.write(path, text);
  };
  opened = world = await syncedFolder({
    settings: { metadata: { shareInfo: { mode: 'EVERYONE' } } },
    before,
  });
}

const none = '{"shareInfo":{"mode":"NONE"}}';
const invalidRules = 'x\n'.repeat(1_001);

/** The disk as it is now is known, and so much time passes. */
async function after(ms: number): Promise<void> {
  await world.timestamp(world.inbox.path);
  await world.rescan();
  await world.pass(ms);
}

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

it('an edit below an ignore file that is not valid waits, and goes when that is gone (7.18)', async () => {
  opened = world = await syncedFolder({ before: (inbox) => inbox.write('d/a.txt', 'a') });
  await writeFile(at('d/.ingestignore'), invalidRules);
  await after(10_000);
  await writeFile(at('d/a.txt'), 'edited');
  await after(10_000);
  expect(world.engine().tasks.counts('inbox')).toMatchObject({ waiting: 1, withRecord: 1 });
  await rm(at('d/.ingestignore'));
  await after(10_000);
  expect(world.held()).toEqual({ 'd/a.txt': 'edited' });
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
});

describe('I6: a document that was never sent, when the process is killed', () => {
  it.each([
    ['a sidecar', 'new.txt.meta.json', none, 4_800, ['NONE']],
    ['a .meta.json', '.meta.json', none, 4_800, ['NONE']],
    ['an ignore file', '.ingestignore', 'new.txt\n', 4_800, []],
    ['a sidecar', 'new.txt.meta.json', none, 8_000, ['EVERYONE', 'NONE']],
  ])('waits for %s that is gone for a moment just then', async (_, path, text, goneMs, modes) => {
    await openWith({ 'x.y.txt': 'a document that cannot be sent', [path]: text });
    const sent: unknown[] = [];
    world.service.observe(({ metadata }) => sent.push(metadata?.shareInfo?.mode));
    await rename(at(path), world.home.join('aside'));
    await world.restart(() => writeFileSync(at('new.txt'), 'new'));
    await world.pass(goneMs);
    await rename(world.home.join('aside'), at(path));
    await after(60_000);
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
    await openWith({
      [`${directory}a.txt`]: 'a',
      [`${directory}${attachment}`]: 'x',
      [`${directory}a.txt.meta.json`]: JSON.stringify({ attachments: [attachment] }),
    });
    await writeFile(at(`${place}.ingestignore`), '*.csv\n');
    await writeFile(at(`${directory}a.txt`), 'another');
    await world.timestamp(at(directory));
    await after(60_000);
    expect(world.service.calls).toEqual(['upload']);
    await writeFile(at(`${place}.ingestignore`), 'b.txt\n');
    await after(60_000);
    expect(world.service.calls).toEqual(['upload', 'modify']);
  });
});

describe('I1: a directory that is renamed while the sidecar of its only document is not valid', () => {
  it.each([
    ['beside the document', 'd', 'f', 'x.csv'],
    ['below it', 'd', 'f', 'parts/x.csv'],
    ['with a directory above it', 'd/e', 'f/e', 'x.csv'],
  ])('brings its attachments, also one that is saved anew: %s', async (_, from, to, attachment) => {
    const sidecar = JSON.stringify({ attachments: [attachment] });
    await openWith({
      [`${from}/a.txt`]: 'a',
      [`${from}/${attachment}`]: 'x',
      [`${from}/a.txt.meta.json`]: sidecar,
    });
    await writeFile(at(`${from}/a.txt.meta.json`), '{"sha');
    await after(10_000);
    await rename(at('d'), at('f'));
    await after(10_000);
    await writeFile(at(`${to}/half.tmp`), 'another');
    await rename(at(`${to}/half.tmp`), at(`${to}/${attachment}`));
    await after(30_000);
    expect(world.service.calls).toEqual(['upload']);
    await writeFile(at(`${to}/a.txt.meta.json`), sidecar);
    await after(60_000);
    expect(world.service.calls).toEqual(['upload', 'modify']);
  });
});

describe('I1: a file that is moved on while its record is being written down at the place before', () => {
  it('keeps its document, also where a new file stands at its first path by then', async () => {
    let slowMs = 0;
    const slow = await engineWorld({ slow: () => slowMs });
    opened = slow;
    const { folder } = slow;
    folder.write('a.txt', 'a');
    await slow.sync();
    const docId = slow.docIds().get('a.txt');
    slowMs = 3_000;
    folder.rename('a.txt', 'b.txt');
    folder.scan();
    await slow.pass(2_500);
    folder.rename('b.txt', 'c.txt');
    folder.write('a.txt', 'new');
    folder.scan();
    await slow.pass(500);
    slowMs = 0;
    await slow.sync();
    await slow.pass(61_000);
    await slow.sync();
    expect(slow.docIds().get('c.txt')).toBe(docId);
    expect([...slow.docIds().keys()].sort()).toEqual(['a.txt', 'c.txt']);
    expect(slow.service.documents.size).toBe(2);
  });
});
