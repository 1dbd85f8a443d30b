const SMALLEST = 64;
const EMPTY = -1;
const DELETED = -2;
/** Of the places, before the table grows. */
const FULL = 0.7;
const GROWTH = 1.5;

/** Finds row numbers by a 32-bit hash of one of their columns. Four to eight bytes a row; equal hashes are allowed. */
export interface RowIndex {
  /** True where a row of the same hash was there already. */
  readonly add: (row: number) => boolean;
  readonly remove: (row: number) => void;
  /** The rows of this hash, and a few others by chance: the caller compares. */
  readonly candidates: (hash: number) => readonly number[];
  /** The first of them that `fits`: the same each time while the index stays as it is. */
  readonly first: (hash: number, fits: (row: number) => boolean) => number | undefined;
  /** Makes room for so many rows at one stroke. */
  readonly reserve: (rows: number) => void;
}

/** An empty index. `hashOf` is asked for rows that are in it, and has to say the same each time. */
export function createRowIndex(hashOf: (row: number) => number): RowIndex {
  let places = new Int32Array(SMALLEST).fill(EMPTY);
  let used = 0;
  let rows = 0;

  function insert(row: number): boolean {
    const mask = places.length - 1;
    const hash = hashOf(row);
    let place = mix(hash) & mask;
    let isShared = false;
    // Past those that were deleted as well: a row of the same hash may stand behind them.
    for (; places[place] !== EMPTY; place = (place + 1) & mask) {
      const other = places[place] as number;
      if (other >= 0 && hashOf(other) === hash) isShared = true;
    }
    places[place] = row;
    used += 1;
    return isShared;
  }

  function rebuild(expected: number): void {
    const before = places;
    let size = SMALLEST;
    while (size * FULL < expected) size *= 2;
    places = new Int32Array(size).fill(EMPTY);
    used = 0;
    for (const row of before) if (row >= 0) insert(row);
  }

  return {
    add: (row) => {
      if (used + 1 > places.length * FULL) rebuild((rows + 1) * GROWTH);
      rows += 1;
      return insert(row);
    },
    reserve: (expected) => {
      if (expected > places.length * FULL) rebuild(expected);
    },
    remove: (row) => {
      const mask = places.length - 1;
      for (let place = mix(hashOf(row)) & mask; places[place] !== EMPTY; place = (place + 1) & mask) {
        if (places[place] !== row) continue;
        places[place] = DELETED;
        rows -= 1;
        return;
      }
    },
    first: (hash, fits) => {
      const mask = places.length - 1;
      for (let place = mix(hash) & mask; places[place] !== EMPTY; place = (place + 1) & mask) {
        const row = places[place] as number;
        if (row >= 0 && hashOf(row) === hash && fits(row)) return row;
      }
      return undefined;
    },
    candidates: (hash) => {
      const found: number[] = [];
      const mask = places.length - 1;
      for (let place = mix(hash) & mask; places[place] !== EMPTY; place = (place + 1) & mask) {
        const row = places[place] as number;
        if (row >= 0 && hashOf(row) === hash) found.push(row);
      }
      return found;
    },
  };
}

/** Hash of a text, 32 bits. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}

/** Hash of a whole number beyond 32 bits too, such as an inode's. */
export function hashNumber(value: number): number {
  return value ^ Math.floor(value / 0x1_0000_0000);
}

/** Spreads neighbours over the table: inode numbers come in rows. */
function mix(hash: number): number {
  const spread = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return spread ^ (spread >>> 13);
}
