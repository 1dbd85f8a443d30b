/** Random numbers that are the same for the same seed. */
export interface SeededRandom {
  /** From 0 to below 1. */
  readonly next: () => number;
  /** A whole number from 0 to below `count`. */
  readonly below: (count: number) => number;
  /** True so often, from 0 to 1. */
  readonly chance: (share: number) => boolean;
  /** One of a list that is not empty. */
  readonly pick: <T>(list: readonly T[]) => T;
}

/** Mulberry32: small, and good enough to shake things with. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: <T>(list: readonly T[]) => {
      const index = below(list.length);
      if (index >= list.length) throw new RangeError('nothing to pick from');
      return list[index] as T;
    },
  };
}
