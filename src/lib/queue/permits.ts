/** A permit that ends once: `end` is called for whichever of its two ends comes first. */
export function endPermitOnce(end: (isSpent: boolean) => void): {
  readonly spent: () => void;
  readonly giveBack: () => void;
} {
  let settled = false;
  const settle = (isSpent: boolean) => () => {
    if (settled) return;
    settled = true;
    end(isSpent);
  };
  return { spent: settle(true), giveBack: settle(false) };
}

/**
 * How long requests of an earlier run still count in a sliding window, ms, longest first: one window at most, whatever
 * the wall clock says. `answeredAt` is null for one without an answer. No more than the limit: the longest decide
 * anyway.
 */
export function countingMs(
  recent: readonly { readonly answeredAt: number | null }[],
  { limit, windowMs, now }: { readonly limit: number; readonly windowMs: number; readonly now: number },
): readonly number[] {
  return recent
    .map(({ answeredAt }) => Math.min(windowMs, (answeredAt ?? now) + windowMs - now))
    .filter((ms) => ms > 0)
    .sort((a, b) => b - a)
    .slice(0, limit);
}
