import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { WorkQueue } from '../../src/lib/queue/work-queue.ts';
import { eventually } from '../support/eventually.ts';

const levels = [5, 4, 3, 2, 1, 0] as const;
type Level = (typeof levels)[number];

/** Nothing runs but by `startFirst`. */
function manualQueue(concurrency = Infinity): WorkQueue {
  return new WorkQueue({ concurrency, afterEach: () => {} });
}

function put(queue: WorkQueue, key: string, level: Level, atMs: number): void {
  queue.put(key, { level, source: 'inbox', atMs });
}

function fill(queue: WorkQueue, level: Level, count: number): void {
  for (let index = 0; index < count; index += 1) put(queue, `${level}-${index}`, level, index);
}

function takeAll(queue: WorkQueue, count = Infinity): string[] {
  const taken: string[] = [];
  const run = (key: string) => {
    taken.push(key);
    return Promise.resolve();
  };
  while (taken.length < count && queue.startFirst(run));
  return taken;
}

const levelsOf = (keys: readonly string[]) =>
  levels.map((level) => keys.filter((key) => key.startsWith(`${level}-`)).length);

describe('the order of a work queue', () => {
  it('lets the sources of a level take turns, however many wait of one', () => {
    const queue = manualQueue();
    fill(queue, 4, 1_500);
    queue.put('saved', { level: 4, source: 'research', atMs: 0 });
    queue.put('older', { level: 4, source: 'research', atMs: -1 });
    expect(takeAll(queue, 5)).toEqual(['4-1499', 'saved', '4-1498', 'older', '4-1497']);
    expect([takeAll(queue).length, queue.size]).toEqual([1_497, 0]);
  });

  it('is that of the levels, and each fourth turn goes to those below', () => {
    const queue = manualQueue();
    fill(queue, 3, 5);
    fill(queue, 1, 2);
    expect(takeAll(queue)).toEqual(['3-4', '3-3', '3-2', '1-1', '3-1', '3-0', '1-0']);
  });

  it('shares the reserve by the same rule when every level is full', () => {
    const queue = manualQueue();
    for (const level of levels.slice(1)) fill(queue, level, 600);
    expect(levelsOf(takeAll(queue, 512))).toEqual([0, 384, 96, 24, 7, 1]);
  });

  it.each([
    [4, 1, 75],
    [3, 2, 75],
    [2, 1, 75],
    [4, 0, 88],
    [1, 0, 88],
  ] as const)('gives level %i its turns while level %i waits: %i of a hundred', (upper, lower, turns) => {
    const queue = manualQueue();
    fill(queue, upper, 100);
    fill(queue, lower, 100);
    const taken = levelsOf(takeAll(queue, 100));
    expect([taken[5 - upper], taken[5 - lower]]).toEqual([turns, 100 - turns]);
  });

  it('owes the levels below nothing for turns that were taken while none of them waited', () => {
    const queue = manualQueue();
    fill(queue, 3, 50);
    takeAll(queue, 40);
    fill(queue, 1, 10);
    expect(takeAll(queue, 4)).toEqual(['3-9', '3-8', '3-7', '1-9']);
  });

  it('lets a live key out within two turns, however the reserve stands', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), (liveBefore, turns) => {
        const queue = manualQueue();
        for (const level of levels.slice(2)) fill(queue, level, 100);
        fill(queue, 4, liveBefore);
        takeAll(queue, turns);
        put(queue, 'saved', 4, 1_000);
        expect(takeAll(queue, 2)).toContain('saved');
      }),
    );
  });

  it('follows a key that is put elsewhere, which goes out once', () => {
    const queue = manualQueue();
    put(queue, 'a', 1, 1);
    put(queue, 'b', 1, 2);
    for (let time = 0; time < 200; time += 1) put(queue, 'a', levels[time % 4] ?? 0, time);
    put(queue, 'a', 3, 0);
    expect([queue.size, queue.firstLevel]).toEqual([2, 3]);
    expect(takeAll(queue)).toEqual(['a', 'b']);
    expect(queue.size).toBe(0);
  });

  it('gives everything out exactly once, starves no level and keeps order within each', () => {
    const added = fc.record({ level: fc.constantFrom(...levels), at: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(added, { maxLength: 80, size: 'max' }), (all) => {
        const queue = manualQueue();
        for (const [order, { level, at }] of all.entries()) put(queue, `${order}`, level, at);
        const taken = takeAll(queue).map(Number);
        expect(taken.toSorted((a, b) => a - b)).toEqual([...all.keys()]);
        for (const level of levels) {
          const own = taken.filter((order) => all[order]?.level === level);
          const sorted = own.toSorted((a, b) => (all[b]?.at ?? 0) - (all[a]?.at ?? 0) || a - b);
          expect(own).toEqual(sorted);
        }
        const places = taken.flatMap((order, place) => (all[order]?.level === 0 ? [place] : []));
        for (const [index, place] of places.entries()) {
          expect(place - (places[index - 1] ?? -1)).toBeLessThanOrEqual(512);
        }
      }),
    );
  });
});

describe('the work queue', () => {
  it('gives out all that waits, however much it is', async () => {
    const done: string[] = [];
    const run = async (key: string) => void done.push(key);
    const queue = new WorkQueue({ concurrency: 2, run, afterEach: () => {} });
    for (let index = 0; index < 5_000; index += 1) put(queue, `${index}`, 1, index);
    expect(queue.size + queue.running).toBeGreaterThan(4_990);
    await eventually(() => queue.size + queue.running === 0);
    expect(new Set(done).size).toBe(5_000);
  });

  it('starts the first of what waits that has work when it is told to, and no other', async () => {
    const queue = manualQueue(4);
    const asked: string[] = [];
    const run = (key: string): Promise<void> | null => {
      asked.push(key);
      return key.startsWith('stale') ? null : Promise.resolve();
    };
    for (const [at, key] of ['stale 3', 'b', 'stale 2', 'a', 'stale 1'].entries()) put(queue, key, 1, at);
    expect(queue.startFirst(run)).toBe(true);
    await turn();
    expect(asked).toEqual(['stale 1', 'a']);
    // What comes between is more urgent.
    put(queue, 'live', 3, 0);
    expect(queue.startFirst(run)).toBe(true);
    expect(asked).toEqual(['stale 1', 'a', 'live']);
    expect(queue.startFirst(run)).toBe(true);
    expect(asked).toEqual(['stale 1', 'a', 'live', 'stale 2', 'b']);
    expect(queue.startFirst(run)).toBe(false);
    expect([asked.at(-1), queue.size]).toEqual(['stale 3', 0]);
  });

  it('starts the one that is called before all others, and the first where that has no work', () => {
    const queue = manualQueue();
    fill(queue, 1, 4);
    const asked: string[] = [];
    const run = (key: string) => {
      asked.push(key);
      return key === '1-1' ? null : Promise.resolve();
    };
    expect([queue.startFirst(run, '1-0'), queue.startFirst(run, '1-1')]).toEqual([true, true]);
    expect([asked, queue.size]).toEqual([['1-0', '1-1', '1-3'], 1]);
  });

  it('starts no other when the first puts more in line as it begins', async () => {
    const queue = manualQueue(4);
    const asked: string[] = [];
    const run = (key: string): Promise<void> => {
      asked.push(key);
      put(queue, `after ${key}`, 3, 0);
      return Promise.resolve();
    };
    put(queue, 'a', 1, 2);
    put(queue, 'b', 1, 1);
    expect(queue.startFirst(run)).toBe(true);
    await turn();
    expect([asked, queue.size]).toEqual([['a'], 2]);
  });

  it('starts no more than may run at once, whoever asks, and none after its stop', async () => {
    const queue = manualQueue(1);
    let end = () => {};
    const run = () => new Promise<void>((resolve) => (end = resolve));
    fill(queue, 1, 2);
    expect([queue.startFirst(run), queue.startFirst(run), queue.running]).toEqual([true, false, 1]);
    end();
    await eventually(() => queue.running === 0);
    expect(queue.size).toBe(1);
    await queue.stop();
    fill(queue, 1, 1);
    expect(queue.startFirst(run)).toBe(false);
  });

  it('says when a place is free again', async () => {
    const free: number[] = [];
    const afterEach = () => free.push(queue.running);
    const queue = new WorkQueue({ concurrency: 1, run: async () => {}, afterEach });
    put(queue, 'a', 1, 1);
    await eventually(() => free.length === 1);
    expect(free).toEqual([0]);
  });
});
