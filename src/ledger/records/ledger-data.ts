import { directoryOf, sameStat } from '../../model/document.ts';
import type { DirectoryRecords, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { SideChange, StoredChange } from '../format/change-format.ts';
import { RecordStore } from './record-store.ts';
import { createSharedValues } from './shared-values.ts';
import type { SharedValues } from './shared-values.ts';
import { SideState } from './side-state.ts';
import { refOf, toEntry, toRecord } from './stored-record.ts';
import type { Directory, StoredRecord } from './stored-record.ts';

/** The reading half of the port: what a second process, `status` or `export` may do. */
export type LedgerReader = Omit<LedgerPort, 'commit' | 'close'>;

/** Everything as it was at one moment; commits that come later do not change it. */
export interface Capture {
  readonly records: Iterable<StoredRecord>;
  readonly changes: readonly SideChange[];
}

/** The ledger in memory: what lowdb holds as its data. */
export interface LedgerData {
  readonly reader: LedgerReader;
  readonly records: RecordStore;
  /** All but the records. */
  readonly side: SideState;
  readonly shared: SharedValues;
  readonly apply: (change: StoredChange) => void;
  readonly capture: () => Capture;
}

/** A ledger of nothing. */
export function createLedgerData(): LedgerData {
  const records = new RecordStore();
  const side = new SideState();

  const reader: LedgerReader = {
    get: (ref) => {
      const record = records.get(ref);
      return record === undefined ? undefined : toRecord(record);
    },
    recordsIn: (folder, path) => viewOf(records.directory(folder, path)?.records ?? noRecords),
    directories: (folder) => records.directories(folder),
    directory: ({ folder, path }) => records.directory(folder, path)?.identity ?? undefined,
    placesOf: (identity) => records.placesOf(identity),
    folders: () => records.folders(),
    count: (folder) => records.count(folder),
    possibleDuplicates: () => records.possibleDuplicates(),
    entries: function* entries() {
      for (const record of records.all()) yield toEntry(record);
    },
    findByInode: (ino) => records.findByInode(ino).map(toEntry),
    findCarriers: (ref, stat) => records.findCarriers(ref, stat).map(toEntry),
    findByDocId: (docId) => {
      const record = records.findByDocId(docId);
      return record === undefined ? undefined : refOf(record);
    },
    ...side.reader,
  };

  return {
    reader,
    records,
    side,
    shared: createSharedValues(),
    apply: (change) => {
      if (change.kind === 'put') {
        records.put(change.ref.folder, directoryOf(change.ref.path), change.record);
      } else if (change.kind === 'drop') records.drop(change.ref);
      else if (change.kind === 'directory') records.identify(change, change.identity);
      else side.apply(change);
    },
    capture: () => ({ records: records.capture(), changes: side.changes() }),
  };
}

const noRecords: Directory['records'] = new Map();

function viewOf(records: Directory['records']): DirectoryRecords {
  return {
    get size() {
      return records.size;
    },
    keys: () => records.keys(),
    get: (name) => {
      const record = records.get(name);
      return record === undefined ? undefined : toRecord(record);
    },
    rootChange: (name) => records.get(name)?.rare?.rootChange,
    match: (name, { stat, fingerprint }) => {
      const record = records.get(name);
      if (record === undefined) return 'none';
      if (!sameStat(record, stat)) return 'other';
      return record.fingerprint === fingerprint ? 'same' : 'stat';
    },
  };
}
