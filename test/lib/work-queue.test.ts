import { describe, expect, it } from '@jest/globals';

import { WorkQueue } from '../../src/lib/queue/work-queue.ts';
import { eventually } from '../support/eventually.ts';

function queueOf(options: Partial<ConstructorParameters<typeof WorkQueue>[0]> = {}) {
  const done: string[] = [];
  const run = (key: string): Promise<void> => {
    done.push(key);
    return Promise.resolve();
  };
  return { done, queue: new WorkQueue({ concurrency: 2, run, afterEach: () => {}, ...options }) };
}

describe('the work queue', () => {
  it('runs each key once that was put several times while it waited, at its last place', async () => {
    const { done, queue } = queueOf({ concurrency: 1, isPaused: true });
    queue.put('a', 1, 5);
    queue.put('b', 1, 6);
    queue.put('a', 3, 0);
    for (let turn = 0; turn < 3; turn += 1) {
      queue.start();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(done).toEqual(['a', 'b']);
    expect(queue.size).toBe(0);
  });

  it('keeps what is beyond its window, and gives all of it out', async () => {
    const { done, queue } = queueOf();
    for (let index = 0; index < 5_000; index += 1) queue.put(`${index}`, 1, index);
    expect(queue.size + queue.running).toBeGreaterThan(4_990);
    await eventually(() => queue.size + queue.running === 0);
    expect(new Set(done).size).toBe(5_000);
  });

  it('lets a paused queue start one at a time, until a run does not pause it', async () => {
    const started: string[] = [];
    const queue: WorkQueue = new WorkQueue({
      concurrency: 4,
      isPaused: true,
      afterEach: () => {},
      run: (key) => {
        started.push(key);
        // What has nothing to do leaves the turn to the next.
        if (!key.startsWith('stale')) queue.pause();
        return Promise.resolve();
      },
    });
    for (const [at, key] of ['d', 'c', 'b', 'stale 2', 'a', 'stale 1'].entries()) queue.put(key, 1, at);
    queue.start();
    expect(started).toEqual(['stale 1', 'a']);
    await new Promise((resolve) => setImmediate(resolve));
    queue.start();
    expect(started).toEqual(['stale 1', 'a', 'stale 2', 'b']);
    await queue.stop();
    expect(queue.size).toBe(0);
  });

  it('says when a place is free again', async () => {
    const free: number[] = [];
    const { queue } = queueOf({ concurrency: 1, afterEach: () => free.push(queue.running) });
    queue.put('a', 1, 1);
    await eventually(() => free.length === 1);
    expect(free).toEqual([0]);
  });
});
