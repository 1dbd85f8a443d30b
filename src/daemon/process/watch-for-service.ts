import { repeat } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';

const everyMs = 10_000;

/**
 * While the service is away (`isAway`: requests are kept back), looks every ten seconds whether it is there, and calls
 * `onBack` when it is after it was not: the next request, whose back-off is minutes by then, or which waits behind one
 * that nothing will answer, can go out at once. Gives what ends it.
 */
export function watchForService(
  isThere: () => Promise<boolean>,
  clock: Clock,
  isAway: () => boolean,
  onBack: () => void,
): () => void {
  let wasShut = false;
  return repeat(clock, everyMs, async () => {
    const isShut = isAway() && !(await isThere().catch(() => false));
    if (wasShut && !isShut && isAway()) onBack();
    wasShut = isShut;
  });
}
