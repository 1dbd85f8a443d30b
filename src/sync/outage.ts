import type { Clock } from '../lib/clock.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { Reason } from '../model/report/status.ts';

/** Tells the log that the service takes nothing, and that it takes requests again: not of each attempt between. */
export interface Outage {
  /** Held back for this reason; `ms` until it is tried again, 0: each document when its own turn comes. */
  readonly goesOn: (why: Reason, ms: number) => void;
  /** The service answered as it should. */
  readonly over: () => void;
  /** A person had it tried at once: should it fail again, it is told again. */
  readonly tellAgain: () => void;
}

/** Whatever waits to be sent is tried again after this at the latest. */
const longestBackOffMs = 5 * 60_000;

export function createOutage(clock: Clock, log: LogPort): Outage {
  /** Monotonic, ms; null: there is none. */
  let since: number | null = null;
  /** As far as it is known to have lasted: nobody asked after that, as far as one knows. Monotonic, ms. */
  let until = 0;
  /** Each kind once, however they take turns. */
  const told = new Set<string>();

  return {
    goesOn: ({ code, message }, ms) => {
      // Of refused credentials it is the source of the tokens that tells.
      if (code === 'credentials-refused') return;
      const now = clock.monotonic();
      since ??= now;
      until = Math.max(until, now + Math.max(ms, longestBackOffMs));
      if (told.has(code)) return;
      told.add(code);
      const again = ms > 0 ? { againInSeconds: Math.ceil(ms / 1000) } : {};
      log.warn({ code, message, ...again }, 'the service takes nothing now');
    },
    over: () => {
      if (since === null) return;
      // When nothing is left to send nobody asks, for a night perhaps: that is no part of it.
      const lastedSeconds = Math.round((Math.min(clock.monotonic(), until) - since) / 1000);
      since = null;
      until = 0;
      told.clear();
      log.info({ lastedSeconds }, 'the service takes requests again');
    },
    tellAgain: () => told.clear(),
  };
}
