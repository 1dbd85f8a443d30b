import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createLanes, laneNames } from '../../src/lib/priority-queue.ts';
import type { LaneName, Lanes } from '../../src/lib/priority-queue.ts';

function fill(lanes: Lanes<string>, lane: LaneName, count: number): void {
  for (let index = 0; index < count; index += 1) lanes.add(`${lane}-${index}`, { lane, at: index }, lane);
}

function takeAll(lanes: Lanes<string>, count = Number.POSITIVE_INFINITY): string[] {
  const taken: string[] = [];
  while (taken.length < count) {
    const entry = lanes.take();
    if (entry === null) break;
    taken.push(entry.key);
  }
  return taken;
}

function lanesTaken(lanes: Lanes<string>, count: number): Record<LaneName, number> {
  const counts = { live: 0, retry: 0, backlog: 0, deletion: 0 };
  for (let index = 0; index < count; index += 1) {
    const entry = lanes.take();
    if (entry !== null) counts[entry.lane] += 1;
  }
  return counts;
}

describe('lanes', () => {
  it('give nothing when nothing waits', () => {
    expect(createLanes().take()).toBeNull();
  });

  it('give the newest first within a lane', () => {
    const lanes = createLanes<string>();
    fill(lanes, 'backlog', 4);
    expect(takeAll(lanes)).toEqual(['backlog-3', 'backlog-2', 'backlog-1', 'backlog-0']);
  });

  it('give what is equally new in the order in which it came', () => {
    const lanes = createLanes<string>();
    for (const key of ['b', 'a', 'c']) lanes.add(key, { lane: 'live', at: 1 }, key);
    expect(takeAll(lanes)).toEqual(['b', 'a', 'c']);
  });

  it('go in order of the lanes, and each fourth turn goes to those below', () => {
    const lanes = createLanes<string>();
    fill(lanes, 'live', 5);
    fill(lanes, 'backlog', 2);
    expect(takeAll(lanes)).toEqual([
      'live-4',
      'live-3',
      'live-2',
      'backlog-1',
      'live-1',
      'live-0',
      'backlog-0',
    ]);
  });

  it('share the reserve by the same rule when every lane is full', () => {
    const lanes = createLanes<string>();
    for (const lane of laneNames) fill(lanes, lane, 300);
    expect(lanesTaken(lanes, 256)).toEqual({ live: 192, retry: 48, backlog: 12, deletion: 4 });
  });

  it.each<[LaneName, LaneName]>([
    ['live', 'deletion'],
    ['retry', 'backlog'],
    ['backlog', 'deletion'],
  ])('give %s three turns of four while %s waits', (upper, lower) => {
    const lanes = createLanes<string>();
    fill(lanes, upper, 100);
    fill(lanes, lower, 100);
    expect(lanesTaken(lanes, 100)).toMatchObject({ [upper]: 75, [lower]: 25 });
  });

  it('let a live entry out within two turns, however the reserve stands', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), (liveBefore, turns) => {
        const lanes = createLanes<string>();
        for (const lane of laneNames.slice(1)) fill(lanes, lane, 100);
        fill(lanes, 'live', liveBefore);
        takeAll(lanes, turns);
        for (const entry of lanes.entries()) if (entry.lane === 'live') lanes.remove(entry.key);
        lanes.add('saved', { lane: 'live', at: 0 }, '');
        expect(takeAll(lanes, 2)).toContain('saved');
      }),
    );
  });

  it('owe the lanes below nothing for turns that were taken while none of them waited', () => {
    const lanes = createLanes<string>();
    fill(lanes, 'live', 50);
    takeAll(lanes, 40);
    fill(lanes, 'backlog', 10);
    expect(takeAll(lanes, 4)).toEqual(['live-9', 'live-8', 'live-7', 'backlog-9']);
  });

  it('replace what waits under the same key', () => {
    const lanes = createLanes<string>();
    lanes.add('a', { lane: 'backlog', at: 1 }, 'old');
    lanes.add('b', { lane: 'backlog', at: 2 }, 'other');
    lanes.add('a', { lane: 'live', at: 0 }, 'new');
    expect(lanes.size()).toBe(2);
    expect(lanes.take()).toMatchObject({ key: 'a', lane: 'live', at: 0, value: 'new' });
    expect(takeAll(lanes)).toEqual(['b']);
  });

  it('forget what is removed', () => {
    const lanes = createLanes<string>();
    fill(lanes, 'live', 3);
    expect(lanes.remove('live-1')).toBe(true);
    expect(lanes.remove('live-1')).toBe(false);
    expect(takeAll(lanes)).toEqual(['live-2', 'live-0']);
    expect(lanes.remove('live-0')).toBe(false);
  });

  it('pass over what does not fit and keep its place', () => {
    const lanes = createLanes<string>();
    fill(lanes, 'live', 3);
    fill(lanes, 'backlog', 2);
    expect(lanes.take(({ key }) => key === 'live-0')?.key).toBe('live-0');
    expect(lanes.take(({ lane }) => lane === 'backlog')?.key).toBe('backlog-1');
    expect(lanes.take(() => false)).toBeNull();
    expect(lanes.size()).toBe(3);
    expect(takeAll(lanes)).toEqual(['live-2', 'live-1', 'backlog-0']);
  });

  it('give the reserved turn back when nothing below fits', () => {
    const lanes = createLanes<string>();
    fill(lanes, 'live', 5);
    fill(lanes, 'deletion', 1);
    const keys = Array.from({ length: 5 }, () => lanes.take(({ lane }) => lane === 'live')?.key);
    expect(keys).toEqual(['live-4', 'live-3', 'live-2', 'live-1', 'live-0']);
    expect(takeAll(lanes)).toEqual(['deletion-0']);
  });

  it('lose nothing when the question itself fails', () => {
    const lanes = createLanes<string>();
    fill(lanes, 'live', 2);
    const fail = (): boolean => {
      throw new RangeError('no');
    };
    expect(() => lanes.take(fail)).toThrow('no');
    expect(takeAll(lanes)).toEqual(['live-1', 'live-0']);
  });

  it('list everything that waits', () => {
    const lanes = createLanes<string>();
    fill(lanes, 'deletion', 2);
    fill(lanes, 'live', 1);
    const entries = [...lanes.entries()].map(({ key, lane, at, value }) => ({ key, lane, at, value }));
    expect(entries).toHaveLength(3);
    expect(entries).toContainEqual({ key: 'deletion-1', lane: 'deletion', at: 1, value: 'deletion' });
  });

  it('give out 100,000 entries in order', () => {
    const lanes = createLanes<number>();
    const count = 100_000;
    for (let index = 0; index < count; index += 1) {
      lanes.add(`k${index}`, { lane: 'backlog', at: (index * 7_919) % count }, index);
    }
    let before = Number.POSITIVE_INFINITY;
    let disorder = 0;
    for (let entry = lanes.take(); entry !== null; entry = lanes.take()) {
      if (entry.at >= before) disorder += 1;
      before = entry.at;
    }
    expect(disorder).toBe(0);
    expect(lanes.size()).toBe(0);
  });

  it('give everything out exactly once, starve no lane and keep order within each', () => {
    const added = fc.record({ lane: fc.constantFrom(...laneNames), at: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(added, { maxLength: 80, size: 'max' }), (all) => {
        const lanes = createLanes<number>();
        for (const [order, { lane, at }] of all.entries()) lanes.add(`${order}`, { lane, at }, order);
        const taken = all.map(() => lanes.take()).filter((entry) => entry !== null);
        expect(taken.map(({ value }) => value).toSorted((a, b) => a - b)).toEqual([...all.keys()]);
        for (const lane of laneNames) {
          const own = taken.filter((entry) => entry.lane === lane);
          expect(own).toEqual(own.toSorted((a, b) => b.at - a.at || a.value - b.value));
        }
        const places = taken.flatMap(({ lane }, place) => (lane === 'deletion' ? [place] : []));
        for (const [index, place] of places.entries()) {
          expect(place - (places[index - 1] ?? -1)).toBeLessThanOrEqual(64);
        }
      }),
    );
  });
});
