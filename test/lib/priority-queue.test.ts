import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { PriorityQueue, priorityOf } from '../../src/lib/queue/work-queue.ts';

const levels = [4, 3, 2, 1, 0] as const;

function fill(queue: PriorityQueue, level: number, count: number): void {
  for (let index = 0; index < count; index += 1) put(queue, `${level}-${index}`, level, index);
}

function put(queue: PriorityQueue, id: string, level: number, at: number): void {
  queue.enqueue(() => Promise.resolve(id), { id, priority: priorityOf(level, at) });
}

async function takeAll(queue: PriorityQueue, count = Number.POSITIVE_INFINITY): Promise<string[]> {
  const taken: string[] = [];
  while (taken.length < count) {
    const run = queue.dequeue();
    if (run === undefined) break;
    taken.push(String(await run()));
  }
  return taken;
}

const levelsOf = (ids: readonly string[]) =>
  levels.map((level) => ids.filter((id) => id.startsWith(`${level}-`)).length);

describe('the priority queue', () => {
  it('gives nothing when nothing waits', () => {
    expect(new PriorityQueue().dequeue()).toBeUndefined();
  });

  it('gives the newest first within a level', async () => {
    const queue = new PriorityQueue();
    fill(queue, 1, 4);
    expect(await takeAll(queue)).toEqual(['1-3', '1-2', '1-1', '1-0']);
  });

  it('gives what is equally new in the order in which it came', async () => {
    const queue = new PriorityQueue();
    for (const id of ['b', 'a', 'c']) put(queue, id, 3, 1);
    expect(await takeAll(queue)).toEqual(['b', 'a', 'c']);
  });

  it('goes in order of the levels, and each fourth turn goes to those below', async () => {
    const queue = new PriorityQueue();
    fill(queue, 3, 5);
    fill(queue, 1, 2);
    expect(await takeAll(queue)).toEqual(['3-4', '3-3', '3-2', '1-1', '3-1', '3-0', '1-0']);
  });

  it('shares the reserve by the same rule when every level is full', async () => {
    const queue = new PriorityQueue();
    for (const level of levels) fill(queue, level, 600);
    expect(levelsOf(await takeAll(queue, 512))).toEqual([384, 96, 24, 7, 1]);
  });

  it.each([
    [4, 1, 75],
    [3, 2, 75],
    [2, 1, 75],
    [4, 0, 88],
    [1, 0, 88],
  ])('gives level %i its turns while level %i waits: %i of a hundred', async (upper, lower, turns) => {
    const queue = new PriorityQueue();
    fill(queue, upper, 100);
    fill(queue, lower, 100);
    const taken = levelsOf(await takeAll(queue, 100));
    expect([taken[4 - upper], taken[4 - lower]]).toEqual([turns, 100 - turns]);
  });

  it('owes the levels below nothing for turns that were taken while none of them waited', async () => {
    const queue = new PriorityQueue();
    fill(queue, 3, 50);
    await takeAll(queue, 40);
    fill(queue, 1, 10);
    expect(await takeAll(queue, 4)).toEqual(['3-9', '3-8', '3-7', '1-9']);
  });

  it('lets a live entry out within two turns, however the reserve stands', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(20), fc.nat(20), async (liveBefore, turns) => {
        const queue = new PriorityQueue();
        for (const level of levels.slice(1)) fill(queue, level, 100);
        fill(queue, 4, liveBefore);
        await takeAll(queue, turns);
        put(queue, 'saved', 4, 1_000);
        expect(await takeAll(queue, 2)).toContain('saved');
      }),
    );
  });

  it('moves what waits to another priority, once', async () => {
    const queue = new PriorityQueue();
    put(queue, 'a', 1, 1);
    put(queue, 'b', 1, 2);
    for (let time = 0; time < 200; time += 1) queue.setPriority('a', priorityOf(time % 4, time));
    queue.setPriority('a', priorityOf(3, 0));
    expect(queue.size).toBe(2);
    expect(await takeAll(queue)).toEqual(['a', 'b']);
    expect(queue.size).toBe(0);
  });

  it('counts those of one priority', () => {
    const queue = new PriorityQueue();
    put(queue, 'a', 1, 1);
    put(queue, 'b', 1, 1);
    put(queue, 'c', 2, 1);
    expect(queue.filter({ priority: priorityOf(1, 1) })).toHaveLength(2);
  });

  it('takes times before 1970 and far ahead for what they are within their level', async () => {
    const queue = new PriorityQueue();
    put(queue, 'old', 2, -5_000_000);
    put(queue, 'ahead', 1, 9e15);
    expect(await takeAll(queue)).toEqual(['old', 'ahead']);
  });

  it('gives everything out exactly once, starves no level and keeps order within each', async () => {
    const added = fc.record({ level: fc.constantFrom(...levels), at: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(fc.array(added, { maxLength: 80, size: 'max' }), async (all) => {
        const queue = new PriorityQueue();
        for (const [order, { level, at }] of all.entries()) put(queue, `${order}`, level, at);
        const taken = (await takeAll(queue)).map(Number);
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
