import { systemClock } from '../../lib/time/clock.ts';
import { explain } from '../../model/report/explanations.ts';
import type { Reason } from '../../model/report/status.ts';
import type { Settings } from '../../model/settings.ts';

/** Why nothing can be sent until somebody else does something; null: nothing says so. */
export function blockedBy(reasons: readonly Reason[]): Reason | null {
  return reasons.find(({ code }) => explain(code).blocks) ?? null;
}

/** How long `sync` waits where there is nothing to do but wait, ms. */
export function patienceMs({ stopSeconds, settleMs, removeGraceMs }: Settings['timing']): number {
  return Math.max(stopSeconds * 1000, settleMs + removeGraceMs);
}

/** Gives for how long, ms, it has been told the same thing whenever it was told something. */
export function createStopwatch(): (what: string) => number {
  let last = '';
  let since = 0;
  return (what) => {
    const now = systemClock.monotonic();
    if (what !== last) since = now;
    last = what;
    return now - since;
  };
}
