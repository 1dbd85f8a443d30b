import type { Clock } from '../../lib/time/clock.ts';
import { PermitLostError } from '../../model/errors.ts';
import type { PermitGuard } from '../../model/ports/service-port.ts';
import type { FleetTimes } from '../fleet-times.ts';
import type { Lease } from '../lease/lease.ts';
import { ageMs } from '../redis/redis-time.ts';
import type { Sent } from '../redis/redis-time.ts';

interface PermitOptions {
  readonly heldAt: Sent;
  readonly clock: Clock;
  readonly times: Pick<FleetTimes, 'validMs' | 'lifeMs'>;
  /** That of the state directory, where there is one: the permit counts as long as this host has it, and no longer. */
  readonly lease: Lease | null;
  /** Has it confirmed soon: `renewed` or `lose` is called then. */
  readonly ask: () => void;
  /** It was used, or given back. */
  readonly end: (isSpent: boolean) => void;
}

export type SharedPermit = ReturnType<typeof sharedPermit>;

/**
 * A place in the shared minute as its host holds it. It counts from when the command went out that granted or renewed
 * it, by the clock that says more.
 */
export function sharedPermit({ heldAt, clock, times, lease, ask, end }: PermitOptions) {
  const { validMs, lifeMs } = times;
  const lost = new AbortController();
  const { signal } = lost;
  let renewedAt = heldAt;
  let isBegun = false;
  const waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];

  const guard: PermitGuard = {
    confirm: async () => {
      // Nothing went out: the request is tried again, by whoever has the lease then.
      if (lease !== null) await lease.confirm().catch(() => Promise.reject(new PermitLostError()));
      await confirm();
    },
    mayBegin: () => {
      if (lease?.holds() === false || signal.aborted || age() > validMs) return false;
      isBegun = true;
      return true;
    },
    mayGoOn: () => lease?.holds() !== false && !signal.aborted && age() <= lifeMs,
    signal: lease === null ? signal : AbortSignal.any([lease.signal, signal]),
    get lapsed() {
      return lease?.lapsed;
    },
  };

  return {
    guard,
    get isBegun() {
      return isBegun;
    },
    get isLost() {
      return signal.aborted;
    },
    spent: () => end(true),
    giveBack: () => end(false),
    /** Redis has kept the place at a command that went out then. */
    renewed: (at: Sent): void => {
      renewedAt = at;
      for (const { resolve } of waiting.splice(0)) resolve();
    },
    lose,
    /** Loses the place where it was not renewed in time. */
    expire: (): void => {
      if (age() > (isBegun ? lifeMs : validMs + lifeMs)) lose();
    },
  };

  function lose(): void {
    lost.abort();
    for (const { reject } of waiting.splice(0)) reject(new PermitLostError());
  }

  function confirm(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new PermitLostError());
      // Half of it is for the way to the service.
      if (age() <= validMs / 2) return resolve();
      waiting.push({ resolve, reject });
      ask();
    });
  }

  function age(): number {
    return ageMs(clock, renewedAt);
  }
}
