/** A failure that is retried. */
export interface SetBack {
  /** `unavailable`: a request of one document, or a notification. `circuit`: the one that finds the service back. */
  readonly kind: 'unavailable' | 'circuit';
  /** Attempts that failed in a row, this one included: 1 is the first. */
  readonly attempt: number;
  /** As the service asked; null: it did not. Zero and nonsense count as null. */
  readonly retryAfterMs: number | null;
  /** From 0 to below 1, fresh for each call. */
  readonly random: number;
}

const firstMs = 1_000;
/** Whatever waits to be sent is tried again after this at the latest. */
const longestBackOffMs = 5 * 60_000;
/** Full jitter may draw zero, and a loop must pause. */
const shortestMs = 250;
/** The longest Retry-After that is honoured, even if the service asks for a day (N17). */
export const longestRetryAfterMs = 15 * 60_000;

/**
 * Milliseconds until the next attempt. Retry-After is honoured up to 15 minutes; without it,
 * exponential from 1 s to 5 min with full jitter. A probe of the circuit draws from the upper half only: it is a
 * single request, so spreading matters less than sparing the service.
 */
export function nextDelayMs({ kind, attempt, retryAfterMs, random }: SetBack): number {
  if (retryAfterMs !== null && retryAfterMs > 0)
    return Math.ceil(Math.min(longestRetryAfterMs, Math.max(shortestMs, retryAfterMs)));
  const ceilingMs = readAgainMs(attempt);
  const floorMs = kind === 'circuit' ? ceilingMs / 2 : shortestMs;
  return Math.round(floorMs + (ceilingMs - floorMs) * random);
}

/** Milliseconds until what could not be read is tried again, after so many tries in a row: from 1 s to 5 min. */
export function readAgainMs(tries: number): number {
  return Math.min(longestBackOffMs, firstMs * 2 ** (Math.max(1, tries) - 1));
}

/**
 * Milliseconds until the next attempt where a person has to fix something: the credentials, the address, permissions.
 * 1, 5, then 15 minutes: more attempts would lock an account.
 */
export function refusedDelayMs(attempt: number): number {
  if (attempt <= 1) return 60_000;
  return attempt <= 2 ? 5 * 60_000 : 15 * 60_000;
}
