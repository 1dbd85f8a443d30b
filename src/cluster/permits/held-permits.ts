import type { Clock } from '../../lib/time/clock.ts';
import { PermitLostError } from '../../model/errors.ts';
import type { PermitGuard } from '../../model/ports/service-port.ts';
import { ageMs } from '../redis/redis-time.ts';
import type { Sent } from '../redis/redis-time.ts';
import type { FleetTimes } from '../fleet-times.ts';

/**
 * A place in the shared minute as its host holds it. It counts from when the command went out that granted or renewed
 * it, by the clock that says more.
 */
export class SharedPermit {
  readonly id: string;
  readonly guard: PermitGuard;
  readonly #clock: Clock;
  readonly #times: Pick<FleetTimes, 'validMs' | 'lifeMs'>;
  readonly #lost = new AbortController();
  #heldAt: Sent;
  #begun = false;
  #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];

  constructor(
    id: string,
    {
      heldAt,
      clock,
      times,
      ask,
    }: {
      readonly heldAt: Sent;
      readonly clock: Clock;
      readonly times: Pick<FleetTimes, 'validMs' | 'lifeMs'>;
      /** Has it confirmed soon: `renewed` or `lose` is called then. */
      readonly ask: () => void;
    },
  ) {
    this.id = id;
    this.#heldAt = heldAt;
    this.#clock = clock;
    this.#times = times;
    this.guard = {
      confirm: () =>
        new Promise((resolve, reject) => {
          if (this.isLost) return reject(new PermitLostError());
          // Half of it is for the way to the service.
          if (this.#age() <= times.validMs / 2) return resolve();
          this.#waiting.push({ resolve, reject });
          ask();
        }),
      mayBegin: () => {
        if (this.isLost || this.#age() > times.validMs) return false;
        this.#begun = true;
        return true;
      },
      mayGoOn: () => !this.isLost && this.#age() <= times.lifeMs,
      signal: this.#lost.signal,
    };
  }

  get isBegun(): boolean {
    return this.#begun;
  }

  get isLost(): boolean {
    return this.#lost.signal.aborted;
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
    if (this.#age() > (this.#begun ? this.#times.lifeMs : this.#times.validMs + this.#times.lifeMs))
      this.lose();
  }

  #age(): number {
    return ageMs(this.#clock, this.#heldAt);
  }
}
