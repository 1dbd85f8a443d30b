import type { Clock } from '../../lib/time/clock.ts';
import { RefusalError } from './answers.ts';

/**
 * Lets at most `limit` through in any stretch of `windowMs`, wherever it begins, and remembers when each passed, by the
 * monotonic clock. What it gives counts one; `what` they are, for the answer. Throws RefusalError 429 where it has to
 * wait, and counts it not.
 */
export function createRateLimit(what: string, limit: number, windowMs: number, clock: Clock): () => void {
  const passed: number[] = [];
  return () => {
    const now = clock.monotonic();
    while (passed[0] !== undefined && passed[0] + windowMs <= now) passed.shift();
    const oldest = passed[0];
    if (passed.length >= limit && oldest !== undefined) throw tooMany(what, oldest + windowMs - now);
    passed.push(now);
  };
}

/** The refusal of one request too many, 429, with the whole seconds to wait. */
export function tooMany(what: string, waitMs: number): RefusalError {
  return new RefusalError(429, `too many ${what}`, {
    code: 'too_many_requests',
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });
}
