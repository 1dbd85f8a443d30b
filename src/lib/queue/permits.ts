import type { BootMoment } from '../time/boot-moment.ts';
import type { Clock } from '../time/clock.ts';

/**
 * How long requests of an earlier run still count in a sliding window, ms, longest first: one window at most. The wall
 * clock may have been set since, and is asked only where the time since the boot is not known: what was answered before
 * this boot is as old as that at least. `answeredAt` is null for one without an answer. No more than the limit: the
 * longest decide anyway.
 */
export function countingMs(
  recent: readonly { readonly answeredAt: number | null; readonly answeredSinceBoot?: BootMoment }[],
  { limit, windowMs, clock }: { readonly limit: number; readonly windowMs: number; readonly clock: Clock },
): readonly number[] {
  const now = clock.now();
  const sinceBoot = clock.sinceBoot?.() ?? null;
  return recent
    .map(({ answeredAt, answeredSinceBoot: then }) => {
      const passedMs =
        then === undefined || sinceBoot === null
          ? now - (answeredAt ?? now)
          : sinceBoot.ms - (then.bootId === sinceBoot.bootId ? then.ms : 0);
      return Math.min(windowMs, windowMs - passedMs);
    })
    .filter((ms) => ms > 0)
    .sort((a, b) => b - a)
    .slice(0, limit);
}
