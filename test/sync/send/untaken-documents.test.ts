import { afterEach, describe, expect, it } from '@jest/globals';

import type { Outcome } from '../../../src/model/ports/service-port.ts';
import { reasonOf } from '../../../src/sync/tasks/task.ts';
import { engineWorld, filledEngineWorld } from '../../support/worlds/engine-world.ts';
import type { EngineWorld, EngineWorldOptions } from '../../support/worlds/engine-world.ts';
import type { OutgoingRequest } from '../../support/worlds/simulated-service.ts';

import { seededRandom } from '../../soak/seeded-random.ts';
import { answers, pathsOf } from './answers.ts';

let world: EngineWorld;

afterEach(() => world?.close());

function isBad(request: OutgoingRequest): boolean {
  return pathsOf(world, request).some((path) => path.startsWith('bad'));
}

/** `count` files of a name come, newer than all others. */
async function write(name: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    world.folder.write(`${name}-${index}.txt`, `${name} ${index}`);
  world.folder.scan();
  await world.clock.advance(10);
}

const contents = () => [...world.service.documents.values()].map(({ content }) => content);
const delivered = () => [...world.docIds().keys()].filter((path) => path.startsWith('good')).length;
const codes = () => {
  return world
    .engine()
    .reasons()
    .map(({ code }) => code);
};

async function worldWith(
  { bad, good, isOldest = false }: { bad: number; good: number; isOldest?: boolean },
  options: EngineWorldOptions = {},
  answer: Outcome = answers[500],
): Promise<void> {
  world = await engineWorld({ random: seededRandom(1).next, ...options });
  world.service.failWhere((request) => (isBad(request) ? answer : null));
  if (isOldest) await write('bad', bad);
  await write('good', good);
  if (!isOldest) await write('bad', bad);
}

/** What is tried again, and why. */
const retried = () => [...world.engine().tasks.in('retry')];
const minutes = 60_000;

describe('documents that the service does not take', () => {
  it.each(Object.entries(answers))(
    'A3: keep no others from being sent, answered with %s, and it is they that fail',
    async (_, answer) => {
      await worldWith({ bad: 5, good: 20 }, {}, answer);
      await world.until(() => delivered() === 20, 500);
      expect(world.clock.monotonic()).toBeLessThan(10 * minutes);
      await world.until(() => [...world.engine().tasks.all()].every(({ attempts }) => attempts > 3), 500);
      await write('good-again', 1);
      await world.until(() => delivered() === 21, 500);
      const taken = world.clock.monotonic();
      await world.until(() => world.clock.monotonic() > taken + 3 * minutes, 2_000);
      await world.until(() => retried().length === 5);
      expect(codes()).toEqual([]);
      expect(world.engine().tasks.counts('inbox')).toMatchObject({ failed: 5, waiting: 0, pending: 0 });
      const told = world.activities.filter(({ what }) => what === 'failed');
      expect(new Set(told.map(({ path, code }) => `${path} ${code}`)).size).toBe(5);
      expect(told[0]?.code).toBe('not-taken');
      for (const task of retried())
        expect(reasonOf(task)?.message).toMatch(/^it said .*; the service accepts others$/);
    },
  );

  it.each<readonly [string, { bad: number; good: number; isOldest?: boolean }]>([
    ['the only other one', { bad: 4, good: 1 }],
    ['those that are older', { bad: 3, good: 40 }],
    ['those that are newer', { bad: 3, good: 40, isOldest: true }],
    ['the few that are older', { bad: 40, good: 3 }],
  ])('A3: keep %s from being sent neither before nor after a restart', async (_, documents) => {
    await worldWith(documents);
    await world.until(() => world.service.calls.length >= 4, 100);
    await world.restart();
    world.folder.scan();
    await world.until(() => delivered() === documents.good, 1_000);
    expect(world.clock.monotonic()).toBeLessThan(90 * minutes);
  });

  it('A3: keep removed ones from being deleted no more than edited ones from being modified, when there is no room for uploads', async () => {
    world = await filledEngineWorld(6);
    world.service.failWhere(({ kind }) => (kind === 'upload' ? answers[507] : null));
    await write('bad', 8);
    await world.until(() => codes().includes('service-unavailable'), 100);
    for (const index of [0, 1, 2]) world.folder.remove(`${index}.txt`);
    world.folder.write('3.txt', 'edited');
    world.folder.scan();
    const since = world.clock.monotonic();
    const isDone = () => world.ledger().count('inbox') === 3 && contents().includes('edited');
    await world.until(isDone, 500);
    expect(world.clock.monotonic() - since).toBeLessThan(10 * minutes);
    expect(codes()).toEqual([]);
  });

  it.each([
    ['deletions', 'bulk delete', (path: string) => world.folder.remove(path)],
    [
      'changes',
      'bulk modify',
      (path: string) =>
        world.folder.describe(path, { customTags: [{ name: 'q3', visibility: 'PUBLIC' as const }] }),
    ],
  ])(
    'A3: of %s in one call keep the others from it no longer than it is tried in parts',
    async (_, call, act) => {
      world = await filledEngineWorld(12, { safety: { maxDeleteCount: 100, maxDeletePercent: 100 } });
      const bad = world.docIds().get('5.txt') ?? '';
      world.service.failWhere(({ docIds }) => (docIds.includes(bad) ? answers[500] : null));
      for (let index = 0; index < 12; index += 1) act(`${index}.txt`);
      world.folder.scan();
      await world.until(() => world.service.calls.length > 0, 100);
      expect(world.service.calls[0]).toBe(`${call} 12`);
      const others = () => [...world.engine().tasks.all()].filter(({ ref }) => ref.path !== '5.txt');
      const since = world.clock.monotonic();
      await world.until(() => others().length === 0, 500);
      expect(world.clock.monotonic() - since).toBeLessThan(10 * minutes);
      const counted = call === 'bulk delete' ? 'held' : 'failed';
      await world.until(() => world.engine().tasks.counts('inbox')[counted] === 1, 500);
    },
  );

  it('says that the service is unavailable where it takes none, and tries one at a time, ever more seldom', async () => {
    await worldWith({ bad: 30, good: 0 });
    // What was under way by then ends.
    await world.until(() => codes().includes('service-unavailable') && world.engine().inFlight() <= 1, 100);
    const times: number[] = [];
    const known = { calls: world.service.calls.length };
    await world.until(() => {
      expect(world.engine().inFlight()).toBeLessThanOrEqual(1);
      if (world.service.calls.length > known.calls) times.push(world.clock.monotonic());
      known.calls = world.service.calls.length;
      return world.clock.monotonic() > 60 * minutes;
    }, 2_000);
    const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(waits.length).toBeLessThan(30);
    expect(waits.slice(-5).every((ms) => ms >= 2.5 * minutes)).toBe(true);
    expect(codes()).toEqual(['service-unavailable']);
  });
});

describe('one pass', () => {
  it.each([1, 5, 35])('A3: delivers what it can where %i of 40 documents are not taken', async (bad) => {
    await worldWith({ bad, good: 40 - bad }, { maxAttempts: 5 });
    await world.until(() => world.engine().isHopeless() || world.engine().isIdle(), 100);
    expect(delivered()).toBe(40 - bad);
  });

  it('ends where none is taken when each was tried', async () => {
    await worldWith({ bad: 12, good: 0 }, { maxAttempts: 5 });
    const paths: string[] = [];
    world.service.observe((request) => paths.push(...pathsOf(world, request)));
    await world.until(() => world.engine().isHopeless(), 100);
    expect([new Set(paths).size, paths.length]).toEqual([12, 12]);
    expect(world.clock.monotonic()).toBeLessThan(10 * minutes);
  });
});
