import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { createRateLimit } from '../../../src/embedded/http/rate-limit.ts';
import { manualClock } from '../../support/manual-clock.ts';

/** Null: it passed; else the seconds to wait. */
function attempt(count: () => void): number | null {
  try {
    count();
    return null;
  } catch (error) {
    const { headers } = error as { readonly headers: Readonly<Record<string, string>> };
    return Number(headers['Retry-After']);
  }
}

describe('the rate limit', () => {
  it('is not moved by the wall clock', () => {
    const clock = manualClock();
    const count = createRateLimit('requests', 1, 1000, clock);
    expect(attempt(count)).toBeNull();
    clock.jump(3_600_000);
    expect(attempt(count)).toBe(1);
  });

  it('never passes more than the limit in any window, and refuses nothing without need', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 0, max: 4000 }), { maxLength: 60 }),
        (limit, gaps) => {
          let now = 0;
          const clock = { ...manualClock(), monotonic: () => now };
          const count = createRateLimit('requests', limit, 10_000, clock);
          const passed: number[] = [];
          for (const gap of gaps) {
            now += gap;
            const recent = passed.filter((at) => at > now - 10_000).length;
            const seconds = attempt(count);
            expect(seconds === null).toBe(recent < limit);
            if (seconds === null) passed.push(now);
            else expect(seconds).toBe(Math.ceil((Number(passed.at(-limit)) + 10_000 - now) / 1000));
          }
        },
      ),
    );
  });
});
