import { repeat } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { canConnect } from '../../remote/http/can-connect.ts';

const everyMs = 10_000;
const patienceMs = 5_000;

/**
 * While the service is away (`isAway`: requests are kept back), looks every ten seconds whether a connection to its address
 * comes about, and calls `onBack` when one does after none did: the next request, whose back-off is minutes by then, can go
 * out at once. Where the address is plain, as on this machine alone, a service that takes connections all the while and
 * answers nothing is not told from another. Gives what ends it.
 */
export function watchForService(
  address: string,
  clock: Clock,
  isAway: () => boolean,
  onBack: () => void,
): () => void {
  let wasShut = false;
  return repeat(clock, everyMs, async () => {
    const isShut = isAway() && !(await canConnect(address, patienceMs, clock));
    if (wasShut && !isShut && isAway()) onBack();
    wasShut = isShut;
  });
}
