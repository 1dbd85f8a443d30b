import {
  directoryOf,
  isValidDirectory,
  isValidName,
  isValidRef,
  joinPath,
  sameStat,
} from '../../model/document.ts';
import { tellsOf } from '../../model/ports/ledger-port.ts';
import type { Change, DirectoryRecords, LedgerEntry, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { SideChange, StoredChange } from './stored-change.ts';
import { RecordStore } from './record-store.ts';
import { createSharedValues } from './shared-values.ts';
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
export class LedgerData {
  readonly records = new RecordStore();
  /** All but the records. */
  readonly side = new SideState();
  readonly shared = createSharedValues();

  readonly reader: LedgerReader = {
    get: (ref) => {
      const record = this.records.get(ref);
      return record === undefined ? undefined : toRecord(record);
    },
    recordsIn: (folder, path) => viewOf(this.records.directory(folder, path)?.records ?? noRecords),
    directory: ({ folder, path }) => this.records.directory(folder, path)?.identity ?? undefined,
    entries: () => this.#entries(),
    changes: () => this.#changes(),
    findByFile: (stat) => this.records.findByFile(stat).map(toEntry),
    findOwners: (ref, stat) => this.records.findOwners(ref, stat).map(toEntry),
    findHolders: ({ ino }) => this.records.findHolders(ino).map(toEntry),
    findByDocId: (docId) => {
      const record = this.records.findByDocId(docId);
      return record === undefined ? undefined : refOf(record);
    },
    ...this.records.reader,
    ...this.side.reader,
  };

  apply(change: StoredChange): void {
    const { records } = this;
    if (change.kind === 'put') this.put(change.ref.folder, directoryOf(change.ref.path), change.record);
    else if (change.kind === 'drop') records.drop(change.ref);
    else if (change.kind === 'directory') records.identify(change, change.identity);
    else this.side.apply(change);
  }

  put(folder: string, directory: string, record: StoredRecord): void {
    this.records.put(folder, directory, record);
    if (tellsOf({ stat: record, standing: record.rare?.standing }, record)) this.side.recorded(record);
  }

  *#entries(): Iterable<LedgerEntry> {
    for (const record of this.records.all()) yield toEntry(record);
  }

  *#changes(): Iterable<Change> {
    for (const entry of this.#entries()) yield { kind: 'put', ...entry };
    const { folders, directories } = this.records.reader;
    for (const folder of folders())
      for (const path of directories(folder)) {
        const identity = this.records.directory(folder, path)?.identity ?? null;
        if (identity !== null) yield { kind: 'directory', folder, path, identity };
      }
    yield* this.side.changes();
  }

  capture(): Capture {
    return { records: this.records.capture(), changes: this.side.changes() };
  }
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

/** A record that is not taken up: nothing else is wrong with the ledger. */
export interface RejectedRecord {
  readonly folder: string;
  readonly path: string;
  readonly message: string;
}

export type DataFiller = ReturnType<typeof createDataFiller>;

/** Puts what files hold into an empty ledger. Records that lead out of their folder are left out and reported. */
export function createDataFiller(data: LedgerData) {
  const rejected: RejectedRecord[] = [];
  /** The last one that was judged: the records of a directory stand together. */
  let judged = { folder: '', directory: '', isValid: false };

  function reject(folder: string, path: string): void {
    rejected.push({ folder, path, message: 'the path leads out of its folder' });
  }

  function put(folder: string, directory: string, record: StoredRecord): void {
    if (folder !== judged.folder || directory !== judged.directory) {
      judged = { folder, directory, isValid: isValidDirectory(folder, directory) };
    }
    if (judged.isValid && isValidName(record.name)) data.put(folder, directory, record);
    else reject(folder, joinPath(directory, record.name));
  }

  return {
    shared: data.shared,
    rejected: rejected as readonly RejectedRecord[],
    put,
    change: (change: StoredChange): void => {
      if (change.kind === 'put') put(change.ref.folder, directoryOf(change.ref.path), change.record);
      else if ('ref' in change && !isValidRef(change.ref)) reject(change.ref.folder, change.ref.path);
      else data.apply(change);
    },
  };
}
