import { afterEach, expect, it } from '@jest/globals';

import { manualClock } from '../../support/manual-clock.ts';
import { engineWorld, filledEngineWorld } from '../../support/worlds/engine-world.ts';
import type { EngineWorld, EngineWorldOptions } from '../../support/worlds/engine-world.ts';
import { simulatedFolder } from '../../support/worlds/simulated-folder.ts';

let world: EngineWorld;

afterEach(() => world.close());

const quick = { service: { requestsPerMinute: 5_000 } };

/** Documents of this many files, delivered. Counts from now on what the folder is asked. */
async function counted(count: number, options: EngineWorldOptions) {
  world = await filledEngineWorld(count, { ...quick, ...options });
  const { find, mounts } = world.folder;
  const asked = { find: 0, mounts: 0 };
  Object.assign(world.folder, {
    find: (...question: Parameters<typeof find>) => {
      asked.find += 1;
      return find(...question);
    },
    mounts: () => {
      asked.mounts += 1;
      return mounts();
    },
  });
  return asked;
}

function takeAll(): void {
  for (const path of world.folder.contents().keys()) world.folder.takeAway(path);
  world.folder.scan();
}

it.each([
  ['held', {}],
  ['deleted', { safety: { maxDeleteCount: 1_000 } }],
])(
  'of 200 files that go together the folders are not asked one by one: they are %s',
  async (end, options) => {
    const asked = await counted(200, options);
    takeAll();
    await world.quiesce();
    expect(world.engine().tasks.counts('inbox').held).toBe(end === 'held' ? 200 : 0);
    expect(world.service.documents.size).toBe(end === 'held' ? 200 : 0);
    expect(asked.find).toBeLessThan(40);
    expect(asked.mounts).toBeLessThan(80);
  },
);

it('of those that are deleted together, each is looked for again before the first byte, in every folder', async () => {
  let inode = 10_000;
  const nextInode = () => (inode += 1);
  const beside = simulatedFolder({ name: 'beside', clock: manualClock(), settleMs: 0, nextInode });
  world = await engineWorld({ ...quick, safety: { maxDeleteCount: 1_000 }, beside });
  await beside.start(world.engine().listener('beside'));
  for (let number = 1; number <= 12; number += 1) world.folder.write(`${number}.txt`, `text ${number}`);
  await world.sync();
  world.service.forget();
  const before = world.docIds();
  const stats = world.folder.stats();
  const connect = world.service.connectNext();
  takeAll();
  await world.until(() => world.service.isHolding());
  world.folder.bringBack('1.txt', '1.txt');
  world.folder.bringBack('2.txt', 'sub/22.txt');
  // The clock of that folder shows the moment at which these files were made.
  beside.write('33.txt', 'text 3', stats.get('3.txt')?.ino);
  connect();
  await world.until(() => world.service.calls.length > 0);
  world.folder.scan();
  beside.scan();
  await world.quiesce();
  const left = ['1.txt', '2.txt', '3.txt'].map((path) => before.get(path));
  expect(new Set(world.service.documents.keys())).toEqual(new Set(left));
  expect(world.service.calls.filter((call) => call !== 'modify')).toEqual(['bulk delete 9']);
});
