import type { DirectoryRecords, LedgerRecord } from '../model/ports/ledger-port.ts';
import type { RecordTable } from './record-table.ts';

/** A map of file name to row, seen as a map of file name to record. Live; each record is made when asked for. */
export function createDirectoryView(
  rows: ReadonlyMap<string, number>,
  { record, match }: Pick<RecordTable, 'record' | 'match'>,
): DirectoryRecords {
  function* entries(): Generator<[string, LedgerRecord], undefined> {
    for (const [name, row] of rows) yield [name, record(row)];
    return undefined;
  }

  function* values(): Generator<LedgerRecord, undefined> {
    for (const row of rows.values()) yield record(row);
    return undefined;
  }

  const view: DirectoryRecords = {
    get size() {
      return rows.size;
    },
    has: (name) => rows.has(name),
    get: (name) => {
      const row = rows.get(name);
      return row === undefined ? undefined : record(row);
    },
    match: (name, seen) => {
      const row = rows.get(name);
      return row === undefined ? 'none' : match(row, seen);
    },
    keys: () => rows.keys(),
    values,
    entries,
    [Symbol.iterator]: entries,
    forEach: (call) => {
      for (const [name, row] of rows) call(record(row), name, view);
    },
  };
  return view;
}
