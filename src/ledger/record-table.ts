import { joinPath } from '../core/document.ts';
import type { LedgerEntry, LedgerRecord, RecordMatch } from '../core/ledger-port.ts';
import type { Metadata } from '../core/metadata.ts';
import { decodeHash } from './decode-hash.ts';
import { recordOf } from './record-cells.ts';
import type { Cells, Extras } from './record-cells.ts';
import { createRowIndex, hashNumber, hashText } from './row-index.ts';
import { ShapeError } from './shape.ts';
import type { ValuePool } from './value-pool.ts';

const FIRST_CAPACITY = 256;
const GROWTH = 1.5;
const HASH_BYTES = 32;
/** size, mtimeMs, ctimeMs, birthtimeMs, ino, dev, created, uploaded, modified. */
const NUMBERS = 9;
const FIRST_NUMBER = 2;
const STAMP_NUMBERS = 6;
const INO = 4;
const EXTRAS = 12;

/** One directory that holds records: file name to row. */
export interface DirectoryRows {
  readonly folder: string;
  readonly directory: string;
  readonly rows: Map<string, number>;
}

/** Where a record stands, and what it shares with others. */
export interface RowPlace {
  readonly directory: DirectoryRows;
  readonly name: string;
  /** Held in the pool of contexts, by the row from now on. */
  readonly contextId: number;
  /** Held in the pool of metadata, by the row from now on. */
  readonly sharedId: number;
}

/** Records in columns: some 300 bytes each, made into objects when they are asked for. A row never changes. */
export interface RecordTable {
  /** A ShapeError where the hash is none: it is checked where it is decoded. The table is of no use then. */
  readonly insert: (place: RowPlace, cells: Cells) => number;
  readonly free: (row: number) => void;
  readonly place: (row: number) => RowPlace;
  readonly cells: (row: number) => Cells;
  readonly record: (row: number) => LedgerRecord;
  readonly match: (row: number, seen: Pick<LedgerRecord, 'stamp' | 'context'>) => RecordMatch;
  /** The sum of `possibleDuplicates` of the rows that are not freed. */
  readonly possibleDuplicates: () => number;
  readonly entry: (row: number) => LedgerEntry;
  readonly findByInode: (ino: number) => readonly number[];
  readonly findByDocId: (docId: string) => number | undefined;
  /** Whether another row stands for the docId of this one. */
  readonly isDouble: (row: number) => boolean;
  /**
   * Rows that are there and came when another one stood for their docId, and a few others by chance. Asked once,
   * when the files are read: from then on none are noted.
   */
  readonly takeSuspects: () => Iterable<number>;
  /** Makes room for so many rows at one stroke. */
  readonly reserve: (rows: number) => void;
  /** Until `thaw`, rows that are freed keep what they hold, so that a snapshot of row numbers stays readable. */
  readonly freeze: () => void;
  readonly thaw: () => void;
}

export interface Pools {
  readonly contexts: ValuePool<string>;
  /** Metadata but title and createdTimestamp, by its JSON. */
  readonly shared: ValuePool<Metadata>;
}

/** An empty table. */
export function createRecordTable({ contexts, shared }: Pools): RecordTable {
  /** The first row that was never used. */
  let next = 0;
  let capacity = FIRST_CAPACITY;
  let numbers = new Float64Array(capacity * NUMBERS);
  let hashes = Buffer.alloc(capacity * HASH_BYTES);
  let hashed = new Uint8Array(capacity);
  let contextIds = new Int32Array(capacity);
  let sharedIds = new Int32Array(capacity);
  let docIdHashes = new Int32Array(capacity);
  const directories: DirectoryRows[] = [];
  const names: string[] = [];
  const docIds: string[] = [];
  const titles: Cells[8][] = [];
  const extras = new Map<number, Extras>();
  const freeRows: number[] = [];
  let suspects: Set<number> | null = new Set();
  let pending: number[] | null = null;
  let duplicates = 0;
  const byDocId = createRowIndex((row) => docIdHashes[row] as number);
  const byInode = createRowIndex((row) => hashNumber(inoOf(row)));

  function inoOf(row: number): number {
    return numbers[row * NUMBERS + INO] as number;
  }

  function resize(rows: number): void {
    capacity = rows;
    numbers = enlarged(numbers, new Float64Array(capacity * NUMBERS));
    hashes = enlarged(hashes, Buffer.alloc(capacity * HASH_BYTES));
    hashed = enlarged(hashed, new Uint8Array(capacity));
    contextIds = enlarged(contextIds, new Int32Array(capacity));
    sharedIds = enlarged(sharedIds, new Int32Array(capacity));
    docIdHashes = enlarged(docIdHashes, new Int32Array(capacity));
  }

  function newRow(): number {
    if (next >= capacity) resize(Math.ceil(capacity * GROWTH));
    next += 1;
    return next - 1;
  }

  function insert({ directory, name, contextId, sharedId }: RowPlace, cells: Cells): number {
    const row = freeRows.pop() ?? newRow();
    if (!decodeHash(cells[1], hashes, row * HASH_BYTES)) throw new ShapeError('sha256 is not a hash');
    const first = row * NUMBERS;
    for (let index = 0; index < STAMP_NUMBERS; index += 1) {
      numbers[first + index] = cells[FIRST_NUMBER + index] as number;
    }
    numbers[first + 6] = cells[9];
    numbers[first + 7] = cells[10];
    numbers[first + 8] = cells[11];
    hashed[row] = cells[1] === '' ? 0 : 1;
    directories[row] = directory;
    names[row] = name;
    docIds[row] = cells[0];
    titles[row] = cells[8];
    contextIds[row] = contextId;
    sharedIds[row] = sharedId;
    docIdHashes[row] = hashText(cells[0]);
    if (cells[EXTRAS] !== undefined) extras.set(row, cells[EXTRAS]);
    duplicates += duplicatesOf(row);
    if (byDocId.add(row)) suspects?.add(row);
    if (inoOf(row) !== 0) byInode.add(row);
    return row;
  }

  function empty(row: number): void {
    contexts.release(contextIds[row] as number);
    shared.release(sharedIds[row] as number);
    extras.delete(row);
    names[row] = '';
    docIds[row] = '';
    titles[row] = 0;
    freeRows.push(row);
  }

  function duplicatesOf(row: number): number {
    return extras.get(row)?.possibleDuplicates ?? 0;
  }

  /** `sameStamp`, on the columns. */
  function match(row: number, { stamp, context }: Pick<LedgerRecord, 'stamp' | 'context'>): RecordMatch {
    const first = row * NUMBERS;
    const same =
      numbers[first] === stamp.size &&
      numbers[first + 1] === stamp.mtimeMs &&
      numbers[first + 2] === stamp.ctimeMs &&
      numbers[first + INO] === stamp.ino;
    if (!same) return 'other';
    return contexts.text(contextIds[row] as number) === context ? 'same' : 'stamp';
  }

  function cellsAt(row: number): Cells {
    const first = row * NUMBERS;
    const number = (index: number): number => numbers[first + index] as number;
    const from = row * HASH_BYTES;
    const cells = [
      docIds[row] as string,
      hashed[row] === 0 ? '' : hashes.toString('hex', from, from + HASH_BYTES),
      number(0),
      number(1),
      number(2),
      number(3),
      number(4),
      number(5),
      titles[row] as Cells[8],
      number(6),
      number(7),
      number(8),
    ] as const;
    const extra = extras.get(row);
    return extra === undefined ? cells : [...cells, extra];
  }

  function record(row: number): LedgerRecord {
    return recordOf({
      cells: cellsAt(row),
      name: names[row] as string,
      context: contexts.text(contextIds[row] as number),
      shared: shared.value(sharedIds[row] as number),
    });
  }

  return {
    insert,
    free: (row) => {
      duplicates -= duplicatesOf(row);
      byDocId.remove(row);
      suspects?.delete(row);
      if (inoOf(row) !== 0) byInode.remove(row);
      if (pending === null) empty(row);
      else pending.push(row);
    },
    place: (row) => ({
      directory: directories[row] as DirectoryRows,
      name: names[row] as string,
      contextId: contextIds[row] as number,
      sharedId: sharedIds[row] as number,
    }),
    cells: cellsAt,
    record,
    match,
    possibleDuplicates: () => duplicates,
    entry: (row) => {
      const { folder, directory } = directories[row] as DirectoryRows;
      return { ref: { folder, path: joinPath(directory, names[row] as string) }, record: record(row) };
    },
    findByInode: (ino) =>
      ino === 0 ? [] : byInode.candidates(hashNumber(ino)).filter((row) => inoOf(row) === ino),
    findByDocId: (docId) => byDocId.first(hashText(docId), (row) => docIds[row] === docId),
    isDouble: (row) =>
      byDocId.first(docIdHashes[row] as number, (other) => other !== row && docIds[other] === docIds[row]) !==
      undefined,
    takeSuspects: () => {
      const taken = suspects ?? [];
      suspects = null;
      return taken;
    },
    reserve: (rows) => {
      if (rows <= capacity) return;
      resize(rows);
      for (const column of [directories, names, docIds, titles]) column.length = rows;
      byDocId.reserve(rows);
      byInode.reserve(rows);
    },
    freeze: () => {
      pending ??= [];
    },
    thaw: () => {
      for (const row of pending ?? []) empty(row);
      pending = null;
    },
  };
}

function enlarged<T extends Float64Array | Int32Array | Uint8Array>(before: T, after: T): T {
  after.set(before);
  return after;
}
