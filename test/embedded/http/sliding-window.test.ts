import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { createSlidingWindow } from '../../../src/embedded/http/sliding-window.ts';
import { manualClock } from '../../support/manual-clock.ts';

describe('the sliding window', () => {
  it('lets a burst of the limit through and then one for each that leaves', async () => {
    const clock = manualClock();
    const window = createSlidingWindow({ limit: 3, windowMs: 1000, clock });
    expect([window.take(), window.take(), window.take(), window.take()]).toEqual([null, null, null, 1000]);
    await clock.advance(999);
    expect(window.take()).toBe(1);
    await clock.advance(1);
    expect(window.take()).toBeNull();
  });

  it('is not moved by the wall clock', () => {
    const clock = manualClock();
    const window = createSlidingWindow({ limit: 1, windowMs: 1000, clock });
    window.take();
    clock.jump(3_600_000);
    expect(window.take()).toBe(1000);
  });

  it('never passes more than the limit in any window, and refuses nothing without need', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 }),
        (limit, gaps) => {
          let now = 0;
          const clock = { ...manualClock(), monotonic: () => now };
          const window = createSlidingWindow({ limit, windowMs: 1000, clock });
          const passed: number[] = [];
          for (const gap of gaps) {
            now += gap;
            const recent = passed.filter((at) => at > now - 1000).length;
            const waitMs = window.take();
            expect(waitMs === null).toBe(recent < limit);
            if (waitMs === null) passed.push(now);
            else expect(waitMs).toBe(Number(passed.at(-limit)) + 1000 - now);
          }
        },
      ),
    );
  });
});
