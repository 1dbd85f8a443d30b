import type { BootMoment } from '../time/boot-moment.ts';
import { passedMs } from '../time/clock.ts';
import type { Clock } from '../time/clock.ts';

/**
 * How long requests of an earlier run still count in a sliding window, ms, longest first: one window at most.
 * `answeredAt` is null for one without an answer. No more than the limit: the longest decide anyway.
 */
export function countingMs(
  recent: readonly { readonly answeredAt: number | null; readonly answeredSinceBoot?: BootMoment }[],
  { limit, windowMs, clock }: { readonly limit: number; readonly windowMs: number; readonly clock: Clock },
): readonly number[] {
  const now = clock.now();
  return recent
    .map(({ answeredAt, answeredSinceBoot: sinceBoot }) =>
      Math.min(windowMs, windowMs - passedMs({ at: answeredAt ?? now, sinceBoot }, clock)),
    )
    .filter((ms) => ms > 0)
    .sort((a, b) => b - a)
    .slice(0, limit);
}
