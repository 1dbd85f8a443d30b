const SMALLEST = 64;
const EMPTY = -1;
const DELETED = -2;
/** Of the places, before the table grows. */
const FULL = 0.7;

/** Finds row numbers by a 32-bit hash of one of their columns. Four to eight bytes a row; equal hashes are allowed. */
export interface RowIndex {
  readonly add: (row: number) => void;
  readonly remove: (row: number) => void;
  /** The rows of this hash, and a few others by chance: the caller compares. */
  readonly candidates: (hash: number) => readonly number[];
  /** The first of them that `fits`: the same each time while the index stays as it is. */
  readonly first: (hash: number, fits: (row: number) => boolean) => number | undefined;
}

/** An empty index. `hashOf` is asked for rows that are in it, and has to say the same each time. */
export function createRowIndex(hashOf: (row: number) => number): RowIndex {
  let places = new Int32Array(SMALLEST).fill(EMPTY);
  let used = 0;
  let rows = 0;

  function insert(row: number): void {
    const mask = places.length - 1;
    let place = mix(hashOf(row)) & mask;
    while ((places[place] as number) >= 0) place = (place + 1) & mask;
    if (places[place] === EMPTY) used += 1;
    places[place] = row;
  }

  function rebuild(): void {
    const before = places;
    let size = SMALLEST;
    while (size * FULL < (rows + 1) * 1.5) size *= 2;
    places = new Int32Array(size).fill(EMPTY);
    used = 0;
    for (const row of before) if (row >= 0) insert(row);
  }

  return {
    add: (row) => {
      if (used + 1 > places.length * FULL) rebuild();
      insert(row);
      rows += 1;
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
  return (value % 0x1_0000_0000) ^ Math.floor(value / 0x1_0000_0000);
}

/** Spreads neighbours over the table: inode numbers come in rows. */
function mix(hash: number): number {
  const spread = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return spread ^ (spread >>> 13);
}
