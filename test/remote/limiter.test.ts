import { afterEach, describe, expect, it, jest } from '@jest/globals';

import type { Permit } from '../../src/model/ports/service-port.ts';
import { systemClock } from '../../src/lib/time/clock.ts';
import { createLimiter } from '../../src/remote/limiter.ts';
import { eventually } from '../support/eventually.ts';
import { manualClock } from '../support/manual-clock.ts';

/** The most arrivals in any window, as the service counts: those at `t` and up to just before `t + windowMs`. */
function mostInWindow(arrivals: readonly number[], windowMs: number): number {
  const sorted = arrivals.toSorted((a, b) => a - b);
  return Math.max(
    0,
    ...sorted.map((from, index) => sorted.filter((at, i) => i >= index && at < from + windowMs).length),
  );
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Bottleneck queues and dispatches over a few turns of the event loop, in timers without delay: these come after. */
async function dispatched(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await wait(1);
}

describe('the limiter', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
    jest.restoreAllMocks();
  });

  /** One with a clock that is set by hand, unless another is given. */
  function limited(options: Partial<Parameters<typeof createLimiter>[0]> = {}) {
    const clock = manualClock();
    const limiter = createLimiter({ requestsPerMinute: 5, clock, recent: [], ...options });
    closing.push(limiter.close);
    return { clock, limiter };
  }

  /** So many ask for a permit; what they have got so far. */
  function asking(limiter: ReturnType<typeof createLimiter>, count: number): Permit[] {
    const permits: Permit[] = [];
    for (let index = 0; index < count; index += 1) {
      void limiter.take().then(
        (permit) => permits.push(permit),
        () => undefined,
      );
    }
    return permits;
  }

  it('uses at least 97 % of a minute with answers of half a second, and never exceeds it', async () => {
    const { clock, limiter } = limited({ requestsPerMinute: 50 });
    const arrivals: number[] = [];
    const worker = async () => {
      for (;;) {
        const permit = await limiter.take().catch(() => null);
        if (permit === null) return;
        arrivals.push(clock.monotonic());
        clock.after(500, permit.spent);
      }
    };
    const worked = Array.from({ length: 4 }, worker);
    for (let second = 0; second < 60 * 3; second += 1) {
      await clock.advance(1000);
      // Bottleneck's own steps take real time, a few milliseconds at most.
      if (limiter.status().used < 50) await eventually(() => limiter.status().used === 50, { everyMs: 1 });
    }
    limiter.close();
    await Promise.all(worked);
    expect(mostInWindow(arrivals, 60_000)).toBe(50);
    expect(arrivals.length).toBeGreaterThanOrEqual(50 * 3 * 0.97);
  });

  it('remembers the requests sent before its start until they are a window old', async () => {
    const clock = manualClock();
    const now = clock.now();
    const recent = [
      { id: 'a', at: now - 59_000, answeredAt: now - 50_000 },
      { id: 'b', at: now - 5000, answeredAt: null },
      { id: 'c', at: now - 90_000, answeredAt: now - 80_000 },
      { id: 'd', at: now + 3_600_000, answeredAt: now + 3_600_000 },
    ];
    const { limiter } = limited({ requestsPerMinute: 4, clock, recent });
    await clock.advance(1);
    expect(limiter.status().used).toBe(3);
    await limiter.take();
    expect(limiter.status()).toMatchObject({ limit: 4, used: 4, nextFreeMs: 9999 });

    const permits = asking(limiter, 3);
    await dispatched();
    expect(permits).toHaveLength(0);
    await clock.advance(10_000);
    await eventually(() => permits.length === 1);
    await clock.advance(49_998);
    await dispatched();
    expect(permits).toHaveLength(1);
    await clock.advance(2);
    await eventually(() => permits.length === 3);
  });

  it('starts empty when more than the limit was sent before its start', async () => {
    const clock = manualClock();
    const at = clock.now();
    const recent = [1, 2, 3].map((n) => ({ id: String(n), at, answeredAt: at + n * 1000 - 3000 }));
    const { limiter } = limited({ requestsPerMinute: 2, clock, recent });
    const permits = asking(limiter, 1);
    await clock.advance(58_500);
    await dispatched();
    expect(permits).toHaveLength(0);
    await clock.advance(1000);
    await eventually(() => permits.length === 1);
  });

  it('counts requests of this boot by the time that passed at least, whatever the wall clock said and says', () => {
    const wall = manualClock();
    const clock = { ...wall, sinceBoot: () => ({ bootId: 'this', ms: 100_000 }) };
    const answered = (at: number, bootId: string, ms: number) => ({
      id: `${bootId} ${ms}`,
      at: at - 10,
      answeredAt: at,
      answeredSinceBoot: { bootId, ms },
    });
    const now = wall.now();
    const recent = [
      answered(now - 3_600_000, 'this', 70_000),
      answered(now + 3_600_000, 'this', 80_000),
      // More than a minute ago, though the wall clock would have it otherwise.
      answered(now, 'this', 39_990),
      // Before this boot, which was longer ago.
      answered(now + 3_600_000, 'another', 99_000),
    ];
    const { limiter } = limited({ requestsPerMinute: 4, clock, recent });
    expect(limiter.status().used).toBe(2);
    expect([2, 3, 4].map((count) => limiter.waitMs(count))).toEqual([0, 30_010, 40_010]);
  });

  it('counts what was answered before this boot as that old, whatever the wall clock says', () => {
    const clock = { ...manualClock(), sinceBoot: () => ({ bootId: 'this', ms: 25_000 }) };
    const at = clock.now() - 3_600_000;
    const answeredSinceBoot = { bootId: 'another', ms: 99_000 };
    const recent = [{ id: '1', at, answeredAt: at, answeredSinceBoot }];
    const { limiter } = limited({ requestsPerMinute: 1, clock, recent });
    expect(limiter.waitMs(1)).toBe(35_000);
  });

  it('gives a place that was given back to the next at once, and ends each permit once', async () => {
    const { limiter } = limited({ requestsPerMinute: 1 });
    const first = await limiter.take();
    first.giveBack();
    first.giveBack();
    first.spent();
    await limiter.take();
    expect(limiter.status().used).toBe(1);
    const permits = asking(limiter, 1);
    await dispatched();
    expect(permits).toEqual([]);
  });

  it('lets those who are ahead go first', async () => {
    const { limiter } = limited({ requestsPerMinute: 1 });
    const permit = await limiter.take();
    const order: string[] = [];
    const waiting = ['first', 'second', 'ahead'].map(async (name) => {
      const next = await limiter.take({ ahead: name === 'ahead' });
      order.push(name);
      next.giveBack();
    });
    await dispatched();
    permit.giveBack();
    await Promise.all(waiting);
    expect(order).toEqual(['ahead', 'first', 'second']);
  });

  it('stops everything for as long as a Retry-After says; a longer one wins (N17)', async () => {
    const { clock, limiter } = limited();
    limiter.pause(10_000, 'too busy');
    limiter.pause(20_000, 'too busy');
    await clock.advance(5_000);
    limiter.pause(3_000, 'too busy');
    // Two looks at both clocks differ by a little.
    clock.jump(-1);
    expect(limiter.status()).toMatchObject({
      pausedUntil: clock.now() + 15_001,
      pausedBy: { since: '2026-01-01T00:00:00.000Z' },
      nextFreeMs: 15_000,
      used: 0,
    });
    const permits = asking(limiter, 5);
    await dispatched();
    await clock.advance(14_999);
    await dispatched();
    expect(permits).toEqual([]);
    await clock.advance(1);
    await eventually(() => permits.length === 5);
    expect(limiter.status()).toMatchObject({ pausedUntil: null, used: 5 });
  });

  it('lets nobody go once a pause has begun, at whatever moment that is', async () => {
    for (let ticks = 0; ticks < 40; ticks += 1) {
      const { clock, limiter } = limited();
      let taken = false;
      const waiting = limiter.take().then(() => (taken = true));
      for (let tick = 0; tick < ticks; tick += 1) await new Promise(setImmediate);
      const before = taken;
      limiter.pause(1000, 'too busy');
      await wait(2);
      expect([ticks, taken]).toEqual([ticks, before]);
      await clock.advance(1000);
      await waiting;
    }
  });

  it('stops those who were just about to go when a pause begins, and wakes those ahead first', async () => {
    const { clock, limiter } = limited();
    const order: string[] = [];
    const waiting = ['a', 'b', 'ahead'].map((name) =>
      limiter.take({ ahead: name === 'ahead' }).then(() => order.push(name)),
    );
    limiter.pause(1000, 'too busy');
    // Bottleneck takes a few turns of the event loop, however long each of them is.
    for (let turn = 0; turn < 30; turn += 1) await wait(1);
    expect(order).toEqual([]);
    await clock.advance(1000);
    await Promise.all(waiting);
    expect(order).toHaveLength(3);
    expect(order[0]).toBe('ahead');
    await expect(limiter.take()).resolves.toBeDefined();
    await expect(limiter.take()).resolves.toBeDefined();
    expect(limiter.status().used).toBe(5);
  });

  it.each([
    ['back after the first requests', -3_600_000, 3],
    ['back before the first request', -3_600_000, 0],
    ['ahead before the first request', 3_600_000, 0],
  ])('gives permits at once when the wall clock is set %s (F49)', async (_name, ms, before) => {
    const { limiter } = limited({ requestsPerMinute: 3, windowMs: 50, clock: systemClock });
    for (let index = 0; index < before; index += 1) (await limiter.take()).spent();
    const now = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
    for (let index = 0; index < 6; index += 1) (await limiter.take()).spent();
    expect(limiter.status().limit).toBe(3);
  });

  it('does not hurry when the wall clock jumps ahead', async () => {
    const { clock, limiter } = limited({ requestsPerMinute: 1 });
    (await limiter.take()).spent();
    clock.jump(3_600_000);
    const permits = asking(limiter, 1);
    await clock.advance(59_000);
    await dispatched();
    expect(permits).toEqual([]);
    await clock.advance(1000);
    await eventually(() => permits.length === 1);
  });

  it('tells when so many more requests can have gone out, however high the limit is', async () => {
    const { clock, limiter } = limited({ requestsPerMinute: 3 });
    (await limiter.take()).spent();
    await clock.advance(20_000);
    (await limiter.take()).spent();
    await clock.advance(10_000);
    const waits = [1, 2, 3, 4, 5, 6, 7].map((requests) => limiter.waitMs(requests));
    expect(waits).toEqual([0, 30_000, 50_000, 60_000, 90_000, 110_000, 120_000]);
    limiter.pause(40_000, 'too busy');
    expect([1, 2, 3, 4].map((requests) => limiter.waitMs(requests))).toEqual([
      40_000, 40_000, 50_000, 100_000,
    ]);

    // An array of that many permits does not exist.
    expect(limited({ requestsPerMinute: 2 ** 40 }).limiter.waitMs(1_000)).toBe(0);
  });

  it('turns away those who wait when it is closed', async () => {
    const limiter = createLimiter({ requestsPerMinute: 1, clock: manualClock(), recent: [] });
    const permit = await limiter.take();
    const waiting = limiter.take();
    const refusal = expect(waiting).rejects.toMatchObject({ code: 'stopped' });
    await dispatched();
    limiter.close();
    limiter.close();
    await refusal;
    await expect(limiter.take()).rejects.toMatchObject({ code: 'stopped' });
    permit.spent();
  });
});
