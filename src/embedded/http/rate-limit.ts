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
    if (passed.length >= limit && oldest !== undefined) {
      const seconds = Math.max(1, Math.ceil((oldest + windowMs - now) / 1000));
      const headers = { 'Retry-After': String(seconds) };
      throw new RefusalError(429, `too many ${what}`, { code: 'too_many_requests', headers });
    }
    passed.push(now);
  };
}
