import type { FileStamp } from '../model/document.ts';
import { decodeHash } from './decode-hash.ts';
import type { Cells } from './record-cells.ts';
import { ShapeError } from './shape.ts';

const HASH_BYTES = 32;
/** size, mtimeMs, ctimeMs, birthtimeMs, ino, dev, created, uploaded, modified. */
const NUMBERS = 9;
const STAMP_NUMBERS = 6;
const INO = 4;
/** Where they stand in a record's cells. */
const STAMP_CELLS = 2;
const TIME_CELLS = 9;

/** What of a record is as wide in every row: its hash and its numbers, 105 bytes. */
export interface FixedColumns {
  /** Throws ShapeError for a hash that is none. */
  readonly write: (row: number, cells: Cells) => void;
  /** 64 digits, or nothing. */
  readonly hash: (row: number) => string;
  /** Of the nine, in their order. */
  readonly number: (row: number, index: number) => number;
  readonly ino: (row: number) => number;
  /** `sameStamp`, on the columns. */
  readonly isSameStamp: (row: number, stamp: FileStamp) => boolean;
  /** Makes room for so many rows, those that were there included. */
  readonly resize: (rows: number) => void;
}

export function createFixedColumns(): FixedColumns {
  let numbers = new Float64Array(0);
  let hashes = Buffer.alloc(0);
  let hashed = new Uint8Array(0);

  return {
    write: (row, cells) => {
      if (!decodeHash(cells[1], hashes, row * HASH_BYTES)) throw new ShapeError('sha256 is not a hash');
      hashed[row] = cells[1] === '' ? 0 : 1;
      const first = row * NUMBERS;
      for (let index = 0; index < STAMP_NUMBERS; index += 1)
        numbers[first + index] = cells[STAMP_CELLS + index] as number;
      for (let index = 0; index < NUMBERS - STAMP_NUMBERS; index += 1)
        numbers[first + STAMP_NUMBERS + index] = cells[TIME_CELLS + index] as number;
    },
    hash: (row) =>
      hashed[row] === 0 ? '' : hashes.toString('hex', row * HASH_BYTES, (row + 1) * HASH_BYTES),
    number: (row, index) => numbers[row * NUMBERS + index] as number,
    ino: (row) => numbers[row * NUMBERS + INO] as number,
    isSameStamp: (row, { size, mtimeMs, ctimeMs, ino }) => {
      const first = row * NUMBERS;
      return (
        numbers[first] === size &&
        numbers[first + 1] === mtimeMs &&
        numbers[first + 2] === ctimeMs &&
        numbers[first + INO] === ino
      );
    },
    resize: (rows) => {
      numbers = enlarged(numbers, new Float64Array(rows * NUMBERS));
      hashes = enlarged(hashes, Buffer.alloc(rows * HASH_BYTES));
      hashed = enlarged(hashed, new Uint8Array(rows));
    },
  };
}

/** A longer column that begins like the shorter one. */
export function enlarged<T extends Float64Array | Int32Array | Uint8Array>(before: T, after: T): T {
  after.set(before);
  return after;
}
