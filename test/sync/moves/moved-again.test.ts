import { mkdir, rename, rm } from 'node:fs/promises';

import { afterEach, expect, it } from '@jest/globals';

import { syncedFolder } from '../../scan/support/synced-folder.ts';
import type { SyncedFolder } from '../../scan/support/synced-folder.ts';

let world: SyncedFolder;

afterEach(() => world.close());

const at = (path: string) => world.inbox.join(path);

it('a directory that is moved on within the grace, after it was seen at its new place, keeps its documents', async () => {
  world = await syncedFolder({
    before: async (inbox) => {
      for (const directory of ['two/d', 'a/b']) await mkdir(inbox.join(directory), { recursive: true });
      await inbox.write('two/d/x.txt', 'x');
    },
  });
  const [docId] = world.docIds().values();
  world.service.forget();
  await rename(at('two/d'), at('a/b/d'));
  await world.rescan('poll');
  await world.pass(1_000);
  await world.rescan('poll');
  await rename(at('a/b'), at('a/c'));
  // Longer than the grace, and the next poll is due later.
  await world.pass(9_000);
  await world.sync();
  expect(world.service.calls).toEqual([]);
  expect([...world.docIds()]).toEqual([['a/c/d/x.txt', docId]]);
});

it.each([
  ['of its own', 'd/x.txt.meta.json'],
  ['of its directory', 'd/.meta.json'],
])(
  'a file that is saved anew in a directory that is moved meanwhile, twice, keeps document and mode: %s',
  async (_, sidecar) => {
    world = await syncedFolder({
      settings: { metadata: { shareInfo: { mode: 'EVERYONE' } } },
      before: async (inbox) => {
        for (const directory of ['d', 'a', 'b']) await mkdir(inbox.join(directory));
        await inbox.write('d/x.txt', 'first');
        await inbox.write(sidecar, '{"shareInfo":{"mode":"NONE"}}');
      },
    });
    const docId = world.docIds().get('d/x.txt');
    world.service.forget();
    await rename(at('d'), at('a/d'));
    await rm(at('a/d/x.txt'));
    await world.rescan();
    await world.pass(3_000);
    await rm(at(`a/${sidecar}`));
    await rename(at('a/d'), at('b/d'));
    await world.inbox.write('b/d/x.txt', 'saved');
    await world.sync();
    expect(world.service.calls).toEqual(['modify']);
    expect(world.docIds().get('b/d/x.txt')).toBe(docId);
    expect(world.service.documents.get(docId ?? '')?.metadata.shareInfo).toEqual({ mode: 'NONE' });
  },
);

it.each<readonly [string, () => Promise<unknown>]>([
  ['that a person keeps', () => world.engine().approve('inbox', undefined, { keeps: true })],
  ['that are held', () => Promise.resolve(0)],
])(
  'documents %s stay so when the directory in which they were is renamed (7.15, 7.18)',
  async (_, decide) => {
    const nine = Array.from({ length: 9 }, (_none, index) => `a/${index}.txt`);
    world = await syncedFolder({
      safety: { maxDeleteCount: 4 },
      before: async (inbox) => {
        for (const path of nine) await inbox.write(path, path);
      },
    });
    // Those of before are so many that a person is asked about the others.
    for (const some of [nine.slice(0, 3), nine.slice(3, 6)]) {
      for (const path of some) await rm(at(path));
      await world.sync();
    }
    await decide();
    await world.pass(11 * 60_000);
    world.service.forget();
    await rename(at('a'), at('b'));
    await world.sync();
    await world.pass(60_000);
    expect(world.service.calls).toEqual([]);
    expect([...world.docIds().keys()].sort()).toEqual([...nine.slice(3, 6), 'b/6.txt', 'b/7.txt', 'b/8.txt']);
  },
);

it('a file that is saved anew in a directory that is moved meanwhile keeps its document, though others are held', async () => {
  const others = Array.from({ length: 9 }, (_, index) => `a/${index}.txt`);
  world = await syncedFolder({
    safety: { maxDeleteCount: 4 },
    before: async (inbox) => {
      for (const path of [...others, 'd/x.txt', 'd/y.txt']) await inbox.write(path, path);
    },
  });
  const docId = world.docIds().get('d/x.txt');
  for (const path of others) await rm(at(path));
  await world.sync();
  expect(world.engine().tasks.counts('inbox').held).toBe(9);
  world.service.forget();
  await rm(at('d/x.txt'));
  await rename(at('d'), at('b'));
  await world.rescan();
  await world.pass(3_000);
  await world.inbox.write('b/x.txt', 'saved');
  await world.sync();
  expect([world.service.calls, world.docIds().get('b/x.txt')]).toEqual([['modify'], docId]);
});

it.each([
  ['a moment ago', false],
  ['before a restart', true],
])(
  'a save that was not accepted yet, and moves to where another document was, is no file of that: seen %s (7.1)',
  async (_, restarts) => {
    world = await syncedFolder({
      before: async (inbox) => {
        for (const name of ['a', 'b']) await inbox.write(`${name}.txt`, name);
      },
    });
    const was = world.docIds();
    await world.inbox.write('.save', 'saved');
    await rename(at('.save'), at('a.txt'));
    if (restarts) world.service.failNext({ kind: 'rejected', code: 'http-422', message: 'no' });
    await world.rescan();
    if (restarts) await world.pass(3_000);
    await rename(at('b.txt'), at('c.txt'));
    await rename(at('a.txt'), at('b.txt'));
    if (restarts) await world.restart();
    await world.sync();
    expect(Object.fromEntries(world.docIds())).toEqual({
      'b.txt': was.get('a.txt'),
      'c.txt': was.get('b.txt'),
    });
    expect(world.held()).toEqual({ 'b.txt': 'saved', 'c.txt': 'b' });
  },
);
