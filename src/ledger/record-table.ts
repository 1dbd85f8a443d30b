import { joinPath } from '../model/document.ts';
import type { LedgerEntry, LedgerRecord, RecordMatch } from '../model/ports/ledger-port.ts';
import type { Metadata } from '../model/metadata/metadata.ts';
import { createFixedColumns, enlarged } from './fixed-columns.ts';
import { recordOf } from './record-cells.ts';
import type { Cells, Extras } from './record-cells.ts';
import { createRowIndex, hashNumber, hashText } from './row-index.ts';
import type { ValuePool } from './value-pool.ts';

const FIRST_CAPACITY = 256;
const GROWTH = 1.5;
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
  const fixed = createFixedColumns();
  fixed.resize(capacity);
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
  const byInode = createRowIndex((row) => hashNumber(fixed.ino(row)));

  function resize(rows: number): void {
    capacity = rows;
    fixed.resize(capacity);
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
    fixed.write(row, cells);
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
    if (fixed.ino(row) !== 0) byInode.add(row);
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

  function match(row: number, { stamp, context }: Pick<LedgerRecord, 'stamp' | 'context'>): RecordMatch {
    if (!fixed.isSameStamp(row, stamp)) return 'other';
    return contexts.text(contextIds[row] as number) === context ? 'same' : 'stamp';
  }

  function cellsAt(row: number): Cells {
    const cells = [
      docIds[row] as string,
      fixed.hash(row),
      fixed.number(row, 0),
      fixed.number(row, 1),
      fixed.number(row, 2),
      fixed.number(row, 3),
      fixed.number(row, 4),
      fixed.number(row, 5),
      titles[row] as Cells[8],
      fixed.number(row, 6),
      fixed.number(row, 7),
      fixed.number(row, 8),
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
      if (fixed.ino(row) !== 0) byInode.remove(row);
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
      ino === 0 ? [] : byInode.candidates(hashNumber(ino)).filter((row) => fixed.ino(row) === ino),
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
