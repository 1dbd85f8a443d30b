/** Jain's index: 1 where all have the same, 1/n where one has everything. */
export function jain(counts) {
  const sum = counts.reduce((total, count) => total + count, 0);
  const squares = counts.reduce((total, count) => total + count * count, 0);
  return (sum * sum) / (counts.length * squares);
}

/** The most of sorted or unsorted times in any window. */
export function mostInWindow(times, windowMs) {
  const sorted = times.toSorted((a, b) => a - b);
  let first = 0;
  let most = 0;
  sorted.forEach((at, index) => {
    while (at - sorted[first] >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

/** How much of the windows is used, in percent: as many requests as one window allows take one window at best. */
export function usedOf(times, { limit, windowMs }) {
  const sorted = times.toSorted((a, b) => a - b);
  const gaps = sorted.slice(limit).map((at, index) => at - sorted[index]);
  return (100 * windowMs * gaps.length) / gaps.reduce((total, ms) => total + ms, 0);
}

/** One row of the table. */
export function row(what, measured, unit, { limit = null, ok = null } = {}) {
  const rounded = Math.round(measured * 1000) / 1000;
  return { what, measured: rounded, unit, against: null, ratio: null, limit, ok };
}

export const atMost = (limit, measured) => ({ limit: `at most ${limit}`, ok: measured <= limit });
export const atLeast = (limit, measured) => ({ limit: `at least ${limit}`, ok: measured >= limit });
export const lessThan = (limit, measured) => ({ limit: `less than ${limit}`, ok: measured < limit });
