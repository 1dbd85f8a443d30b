import type { Clock } from '../../lib/time/clock.ts';
import { canConnect } from '../../remote/http/can-connect.ts';

const everyMs = 10_000;
const patienceMs = 5_000;

interface ServiceWatch {
  /** Of the service. */
  readonly address: string;
  readonly clock: Clock;
  /** Requests are kept back, because the service seems to be away. */
  readonly isAway: () => boolean;
  readonly onBack: () => void;
}

/**
 * While the service is away, looks every ten seconds whether a connection comes about, and calls `onBack` when one does
 * after none did: the next request, whose back-off is minutes by then, can go out at once. Of a service that takes
 * connections all the while, or a proxy in front of it, this tells nothing. Gives what ends it.
 */
export function watchForService({ address, clock, isAway, onBack }: ServiceWatch): () => void {
  const over = new AbortController();
  let wasShut = false;
  let cancel = () => {};
  const look = async (): Promise<void> => {
    const isShut = isAway() && !(await canConnect(address, patienceMs, clock));
    if (over.signal.aborted) return;
    if (wasShut && !isShut && isAway()) onBack();
    wasShut = isShut;
    lookLater();
  };
  const lookLater = (): void => {
    cancel = clock.after(everyMs, () => void look());
  };
  lookLater();
  return () => {
    over.abort();
    cancel();
  };
}
