import { directoryOf, nameOf } from '../model/document.ts';
import type { DocumentRef } from '../model/document.ts';
import type { DirectoryRecords, LedgerEntry } from '../model/ports/ledger-port.ts';
import type { Metadata } from '../model/metadata/metadata.ts';
import { createDirectoryView } from './directory-view.ts';
import { createRecordTable } from './record-table.ts';
import type { DirectoryRows, Pools, RecordTable, RowPlace } from './record-table.ts';
import type { Cells } from './record-cells.ts';
import { createValuePool } from './value-pool.ts';

/** All records by folder, directory and name, with their indexes. */
export interface RecordStore extends Pools {
  readonly table: RecordTable;
  readonly row: (ref: DocumentRef) => number | undefined;
  readonly recordsIn: (folder: string, directory: string) => DirectoryRecords;
  readonly directories: (folder: string) => Iterable<string>;
  readonly folders: () => readonly string[];
  readonly count: (folder: string) => number;
  readonly entries: () => Iterable<LedgerEntry>;
  /** The directory's rows, made when there are none. Ask anew after an await: an empty one is forgotten. */
  readonly directory: (folder: string, directory: string) => DirectoryRows;
  /** Takes over the ids that are held for this row. A ShapeError as from `RecordTable.insert`. */
  readonly put: (place: RowPlace, cells: Cells) => void;
  readonly drop: (ref: DocumentRef) => void;
  /** Numbers of all rows, those of a directory together. */
  readonly rows: () => Int32Array;
}

const nothing: ReadonlyMap<string, number> = new Map();

/** An empty store. */
export function createRecordStore(): RecordStore {
  const contexts = createValuePool((text) => text);
  const shared = createValuePool<Metadata>((text) => deepFreeze(JSON.parse(text) as Metadata));
  const table = createRecordTable({ contexts, shared });
  const folders = new Map<string, Map<string, DirectoryRows>>();
  const counts = new Map<string, number>();

  function directory(folder: string, name: string): DirectoryRows {
    let directories = folders.get(folder);
    if (directories === undefined) {
      directories = new Map();
      folders.set(folder, directories);
    }
    let rows = directories.get(name);
    if (rows === undefined) {
      rows = { folder, directory: name, rows: new Map() };
      directories.set(name, rows);
    }
    return rows;
  }

  function find({ folder, path }: DocumentRef): number | undefined {
    return folders.get(folder)?.get(directoryOf(path))?.rows.get(nameOf(path));
  }

  function addToCount(folder: string, by: number): void {
    const count = (counts.get(folder) ?? 0) + by;
    if (count === 0) counts.delete(folder);
    else counts.set(folder, count);
  }

  function forgetIfEmpty({ folder, directory, rows }: DirectoryRows): void {
    if (rows.size > 0) return;
    const directories = folders.get(folder);
    directories?.delete(directory);
    if (directories?.size === 0) folders.delete(folder);
  }

  return {
    contexts,
    shared,
    table,
    directory,
    row: find,
    recordsIn: (folder, name) => {
      return createDirectoryView(folders.get(folder)?.get(name)?.rows ?? nothing, table);
    },
    directories: (folder) => folders.get(folder)?.keys() ?? [],
    folders: () => [...counts.keys()],
    count: (folder) => counts.get(folder) ?? 0,
    entries: function* entries() {
      for (const directories of folders.values()) {
        for (const { rows } of directories.values()) for (const row of rows.values()) yield table.entry(row);
      }
    },
    put: (place, cells) => {
      const { folder, rows } = place.directory;
      const before = rows.get(place.name);
      if (before === undefined) addToCount(folder, 1);
      else table.free(before);
      rows.set(place.name, table.insert(place, cells));
    },
    drop: (ref) => {
      const rows = folders.get(ref.folder)?.get(directoryOf(ref.path));
      const row = rows?.rows.get(nameOf(ref.path));
      if (rows === undefined || row === undefined) return;
      rows.rows.delete(nameOf(ref.path));
      table.free(row);
      addToCount(ref.folder, -1);
      forgetIfEmpty(rows);
    },
    rows: () => {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const all = new Int32Array(total);
      let index = 0;
      for (const directories of folders.values()) {
        for (const { rows } of directories.values()) {
          for (const row of rows.values()) {
            all[index] = row;
            index += 1;
          }
        }
      }
      return all;
    },
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) deepFreeze(child);
    Object.freeze(value);
  }
  return value;
}
