import type { Clock } from '../../lib/time/clock.ts';
import { RefusalError } from './answers.ts';

/** Lets at most so many through in any stretch of time of one length, wherever it begins. */
export interface SlidingWindow {
  /** Null: let through, and counted. Else refused, not counted, and the milliseconds until the next can pass. */
  readonly take: () => number | null;
}

/** Exact: remembers when each of the last `limit` passed, by the monotonic clock. */
export function createSlidingWindow({
  limit,
  windowMs,
  clock,
}: {
  readonly limit: number;
  readonly windowMs: number;
  readonly clock: Clock;
}): SlidingWindow {
  const passed: number[] = [];
  return {
    take: () => {
      const now = clock.monotonic();
      while (passed[0] !== undefined && passed[0] + windowMs <= now) passed.shift();
      const oldest = passed[0];
      if (passed.length >= limit && oldest !== undefined) return oldest + windowMs - now;
      passed.push(now);
      return null;
    },
  };
}

/** Counts a request; `what`, for the answer. Throws RefusalError 429 with the whole seconds until one more passes. */
export function countRequest(window: SlidingWindow, what: string): void {
  const waitMs = window.take();
  if (waitMs !== null) throw tooMany(what, waitMs);
}

/** The refusal of one request too many, 429, with the whole seconds to wait. */
export function tooMany(what: string, waitMs: number): RefusalError {
  return new RefusalError(429, `too many ${what}`, {
    code: 'too_many_requests',
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });
}
