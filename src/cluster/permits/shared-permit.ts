import type { Clock } from '../../lib/time/clock.ts';
import { PermitLostError } from '../../model/errors.ts';
import type { Permit, PermitGuard } from '../../model/ports/service-port.ts';
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

/**
 * A place in the shared minute as its host holds it. It counts from when the command went out that granted or renewed
 * it, by the clock that says more.
 */
export class SharedPermit implements Permit {
  readonly id: string;
  readonly guard: PermitGuard;
  readonly #options: PermitOptions;
  readonly #lost = new AbortController();
  #heldAt: Sent;
  #begun = false;
  #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];

  constructor(id: string, options: PermitOptions) {
    const { heldAt, times, lease } = options;
    this.id = id;
    this.#options = options;
    this.#heldAt = heldAt;
    const { signal } = this.#lost;
    this.guard = {
      confirm: async () => {
        try {
          if (lease !== null) await lease.confirm();
        } catch {
          // Nothing went out: the request is tried again, by whoever has the lease then.
          throw new PermitLostError();
        }
        await this.#confirm();
      },
      mayBegin: () => {
        if (lease?.holds() === false || this.isLost || this.#age() > times.validMs) return false;
        this.#begun = true;
        return true;
      },
      mayGoOn: () => lease?.holds() !== false && !this.isLost && this.#age() <= times.lifeMs,
      signal: lease === null ? signal : AbortSignal.any([lease.signal, signal]),
      get lapsed() {
        return lease?.lapsed;
      },
    };
  }

  get isBegun(): boolean {
    return this.#begun;
  }

  get isLost(): boolean {
    return this.#lost.signal.aborted;
  }

  spent(): void {
    this.#options.end(true);
  }

  giveBack(): void {
    this.#options.end(false);
  }

  /** Redis has kept the place at a command that went out then. */
  renewed(at: Sent): void {
    this.#heldAt = at;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  lose(): void {
    this.#lost.abort();
    for (const { reject } of this.#waiting.splice(0)) reject(new PermitLostError());
  }

  /** Loses the place where it was not renewed in time. */
  expire(): void {
    const { validMs, lifeMs } = this.#options.times;
    if (this.#age() > (this.#begun ? lifeMs : validMs + lifeMs)) this.lose();
  }

  #confirm(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.isLost) return reject(new PermitLostError());
      // Half of it is for the way to the service.
      if (this.#age() <= this.#options.times.validMs / 2) return resolve();
      this.#waiting.push({ resolve, reject });
      this.#options.ask();
    });
  }

  #age(): number {
    return ageMs(this.#options.clock, this.#heldAt);
  }
}
