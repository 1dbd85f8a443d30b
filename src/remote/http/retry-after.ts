const longestMs = 15 * 60_000;

/**
 * Reads a Retry-After header, in seconds or as an HTTP date; ms from now, 15 minutes at most. Null for what
 * cannot be obeyed: nothing, junk, zero, negative, past. A date is compared with the answer's own Date header
 * where there is one, so that a service whose clock is off is understood.
 */
export function readRetryAfter(
  header: string | undefined,
  { now, date }: { readonly now: number; readonly date?: string | undefined },
): number | null {
  const text = header?.trim() ?? '';
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : untilDate(text, now, date);
  if (!Number.isFinite(ms) || ms <= 0) return null;
  return Math.min(Math.ceil(ms), longestMs);
}

function untilDate(text: string, now: number, date: string | undefined): number {
  const from = readDate(date ?? '');
  return readDate(text) - (Number.isNaN(from) ? now : from);
}

/** Only the shapes of RFC 9110, all of which begin with the day's name: `Date.parse` alone takes `-5` for a year. */
function readDate(text: string): number {
  return /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
}
