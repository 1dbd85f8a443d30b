import { describe, expect, it } from '@jest/globals';

import { WorkQueue } from '../../src/lib/queue/work-queue.ts';
import { eventually } from '../support/eventually.ts';

/** `isManual`: nothing runs but by `startFirst`. */
function queueOf({ concurrency = 2, isManual = false, afterEach = () => {} } = {}) {
  const done: string[] = [];
  const run = (key: string): Promise<void> => {
    done.push(key);
    return Promise.resolve();
  };
  const options = { concurrency, afterEach };
  return { done, run, queue: new WorkQueue(isManual ? options : { ...options, run }) };
}

describe('the work queue', () => {
  it('runs each key once that was put several times while it waited, at its last place', async () => {
    const { done, run, queue } = queueOf({ concurrency: 1, isManual: true });
    queue.put('a', 1, 5);
    queue.put('b', 1, 6);
    queue.put('a', 3, 0);
    for (let turn = 0; turn < 3; turn += 1) {
      queue.startFirst(run);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(done).toEqual(['a', 'b']);
    expect(queue.size).toBe(0);
  });

  it('comes to an end where no key has work, though each keeps its place for a moment', async () => {
    const { queue } = queueOf({ concurrency: 1, isManual: true });
    for (const key of ['a', 'b', 'c']) queue.put(key, 1, 0);
    for (let turn = 0; turn < 3; turn += 1) {
      expect(queue.startFirst(() => null)).toBe(false);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(queue.size).toBe(0);
  });

  it('keeps what is beyond its window, and gives all of it out', async () => {
    const { done, queue } = queueOf();
    for (let index = 0; index < 5_000; index += 1) queue.put(`${index}`, 1, index);
    expect(queue.size + queue.running).toBeGreaterThan(4_990);
    await eventually(() => queue.size + queue.running === 0);
    expect(new Set(done).size).toBe(5_000);
  });

  it('starts the first of what waits that has work when it is told to, and no other', async () => {
    const { queue } = queueOf({ concurrency: 4, isManual: true });
    const asked: string[] = [];
    const run = (key: string): Promise<void> | null => {
      asked.push(key);
      return key.startsWith('stale') ? null : Promise.resolve();
    };
    for (const [at, key] of ['stale 3', 'b', 'stale 2', 'a', 'stale 1'].entries()) queue.put(key, 1, at);
    expect(queue.startFirst(run)).toBe(true);
    expect(asked).toEqual(['stale 1', 'a']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toEqual(['stale 1', 'a']);
    // What comes between is more urgent.
    queue.put('live', 3, 0);
    expect(queue.startFirst(run)).toBe(true);
    expect(asked).toEqual(['stale 1', 'a', 'live']);
    expect(queue.startFirst(run)).toBe(true);
    expect(asked).toEqual(['stale 1', 'a', 'live', 'stale 2', 'b']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(queue.startFirst(run)).toBe(false);
    expect([asked.at(-1), queue.size]).toEqual(['stale 3', 0]);
  });

  it('starts no other when the first puts more in line as it begins', async () => {
    const { queue } = queueOf({ concurrency: 4, isManual: true });
    const asked: string[] = [];
    const run = (key: string): Promise<void> => {
      asked.push(key);
      queue.put(`after ${key}`, 3, 0);
      return Promise.resolve();
    };
    queue.put('a', 1, 2);
    queue.put('b', 1, 1);
    expect(queue.startFirst(run)).toBe(true);
    expect(asked).toEqual(['a']);
    await new Promise((resolve) => setImmediate(resolve));
    expect([asked, queue.size]).toEqual([['a'], 2]);
  });

  it('starts no more than may run at once, whoever asks', async () => {
    const { queue } = queueOf({ concurrency: 1, isManual: true });
    let end = () => {};
    const run = () => new Promise<void>((resolve) => (end = resolve));
    queue.put('a', 1, 2);
    queue.put('b', 1, 1);
    expect([queue.startFirst(run), queue.startFirst(run), queue.running]).toEqual([true, false, 1]);
    end();
    await eventually(() => queue.running === 0);
    expect(queue.size).toBe(1);
  });

  it('says when a place is free again', async () => {
    const free: number[] = [];
    const { queue } = queueOf({ concurrency: 1, afterEach: () => free.push(queue.running) });
    queue.put('a', 1, 1);
    await eventually(() => free.length === 1);
    expect(free).toEqual([0]);
  });
});
