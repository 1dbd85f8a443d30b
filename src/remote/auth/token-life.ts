const usualSeconds = 1800;
const longestSeconds = 24 * 3600;
const renewAheadMs = 60_000;

/** How long a token lives, ms: interface 2.1, and what services were seen to send instead of a whole number. */
export function lifeOf(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' && expiresIn.trim() !== '' ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds <= 0) return usualSeconds * 1000;
  return Math.min(seconds, longestSeconds) * 1000;
}

/** How long it is used before another is asked for: until a tenth of its life is left, 60 seconds at most. */
export function useOf(lifeMs: number): number {
  return lifeMs - Math.min(renewAheadMs, lifeMs / 10);
}

const refusalSteps = [2_000, 5_000, 60_000, 300_000];
const lastRefusalStep = 900_000;

/**
 * How long credentials that were refused `count` times in a row rest: three attempts in the first ten seconds, then
 * after 1, 5 and every 15 minutes. More would lock an account.
 */
export function backOffAfterRefusals(count: number): number {
  return refusalSteps[count - 1] ?? lastRefusalStep;
}

/** How long a token endpoint that failed `count` times in a row is left alone: 1 s, doubled, 30 s at most. */
export function backOffAfterFailures(count: number): number {
  return Math.min(30_000, 1000 * 2 ** Math.min(count - 1, 10));
}
