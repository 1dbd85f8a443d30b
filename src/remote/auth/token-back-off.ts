import { toTheSecond } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { refusedDelayMs } from '../../model/back-off.ts';
import {
  CredentialsRefusedError,
  errorMessage,
  MisaddressedError,
  ServiceUnavailableError,
} from '../../model/errors.ts';
import type { Reason } from '../../model/report/status.ts';

/**
 * When the token endpoint may be asked, and the error until then: a back-off follows each failure, so that no account
 * is locked and no endpoint flooded.
 */
export function createTokenBackOff(clock: Clock) {
  /** The last failure, and until when it holds: monotonic, ms, and by the wall clock. Null: a token was obtained since. */
  let resting: { readonly ends: number; readonly until: string; readonly error: unknown } | null = null;
  /** When the first failure of those in a row was. */
  let since = '';
  let refusals = 0;
  let troubles = 0;
  /** ms from now; 0: may be asked. */
  const leftMs = () => (resting === null ? 0 : Math.max(0, resting.ends - clock.monotonic()));
  const isRefused = () => resting?.error instanceof CredentialsRefusedError;

  function rest(backOffMs: number, error: unknown): void {
    if (resting === null) since = toTheSecond(clock.now());
    resting = { error, ends: clock.monotonic() + backOffMs, until: toTheSecond(clock.now() + backOffMs) };
  }

  return {
    leftMs,
    isRefused,
    /** Why there is no token, as the last attempt found; null: it obtained one. */
    reason: (): Reason | null => {
      if (resting === null) return null;
      const { error, until } = resting;
      const next = leftMs() > 0 ? { until } : {};
      return { code: reasonCode(error), message: errorMessage(error), since, ...next };
    },
    /** Throws the last failure again until the back-off ends. */
    check: () => {
      const left = leftMs();
      if (resting === null || left === 0) return;
      const { error } = resting;
      if (error instanceof CredentialsRefusedError || error instanceof MisaddressedError) throw error;
      throw new ServiceUnavailableError(errorMessage(error), left, reasonCode(error));
    },
    /** The endpoint, or the service with a fresh token, refused. `times`: requests that were refused on the way. */
    refused: (times: number, error: CredentialsRefusedError) => {
      refusals += times;
      const backOffMs = firstRefusalsMs[refusals - 1] ?? refusedDelayMs(refusals - firstRefusalsMs.length);
      rest(backOffMs, error);
    },
    /** The endpoint gave no valid answer; a Retry-After extends the back-off. */
    failed: (error: unknown) => {
      troubles += 1;
      const retryAfterMs = error instanceof ServiceUnavailableError ? (error.retryAfterMs ?? 0) : 0;
      // 1 s, doubled, 30 s at most.
      const backOffMs = Math.min(30_000, 1000 * 2 ** Math.min(troubles - 1, 10));
      rest(Math.max(retryAfterMs, backOffMs), error);
    },
    /** A token was obtained. Refusals stay counted until a call with it is accepted. */
    obtained: () => {
      resting = null;
      troubles = 0;
    },
    confirmed: () => {
      refusals = 0;
    },
    /** The endpoint may be asked at once. What was found is said until it has answered. */
    forget: () => {
      if (resting !== null) resting = { ...resting, ends: -Infinity };
      refusals = 0;
      troubles = 0;
    },
  };
}

function reasonCode(error: unknown): string {
  if (error instanceof CredentialsRefusedError) return 'credentials-refused';
  return error instanceof ServiceUnavailableError ? error.reason : 'service-unavailable';
}

/** The endpoint, or the service beside it, may be wrong for a moment: three attempts in the first ten seconds. */
const firstRefusalsMs = [2_000, 5_000];
