/** A failure that is retried. */
export interface SetBack {
  /**
   * `unavailable`: a request of one document. `credentials`: the token endpoint refused. `circuit`: the one request
   * that checks whether the service is back.
   */
  readonly kind: 'unavailable' | 'credentials' | 'circuit';
  /** Attempts that failed in a row, this one included: 1 is the first. */
  readonly attempt: number;
  /** As the service asked; null: it did not. Zero and nonsense count as null. */
  readonly retryAfterMs: number | null;
  /** From 0 to below 1, fresh for each call. */
  readonly random: number;
}

const firstMs = 1_000;
/** Whatever waits to be sent is tried again after this at the latest. */
export const longestBackOffMs = 5 * 60_000;
/** Full jitter may draw zero, and a loop must pause. */
const shortestMs = 250;
/** The longest Retry-After that is honoured, even if the service asks for a day (N17). */
const longestRetryAfterMs = 15 * 60_000;
const credentialsMs = [60_000, 5 * 60_000, 15 * 60_000] as const;

/**
 * Milliseconds until the next attempt. Retry-After is honoured up to 15 minutes; without it,
 * exponential from 1 s to 5 min with full jitter. A probe of the circuit draws from the upper half only: it is a
 * single request, so spreading matters less than sparing the service. Refused credentials wait 1, 5, then 15 minutes
 * at least.
 */
export function nextDelayMs({ kind, attempt, retryAfterMs, random }: SetBack): number {
  const asked = askedMs(retryAfterMs);
  if (kind === 'credentials') return Math.max(asked ?? 0, credentialsStep(attempt));
  if (asked !== null) return asked;
  const ceilingMs = Math.min(longestBackOffMs, firstMs * 2 ** (Math.max(1, attempt) - 1));
  const floorMs = kind === 'circuit' ? ceilingMs / 2 : shortestMs;
  return Math.round(floorMs + (ceilingMs - floorMs) * random);
}

function askedMs(retryAfterMs: number | null): number | null {
  if (retryAfterMs === null || !(retryAfterMs > 0)) return null;
  return Math.ceil(Math.min(longestRetryAfterMs, Math.max(shortestMs, retryAfterMs)));
}

function credentialsStep(attempt: number): number {
  const [first, second, rest] = credentialsMs;
  if (attempt <= 1) return first;
  return attempt <= 2 ? second : rest;
}
