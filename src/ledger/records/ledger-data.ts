import { directoryOf, isValidDirectory, isValidName, isValidRef, joinPath } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { tellsOf } from '../../model/ports/ledger-port.ts';
import type { Change, LedgerPort } from '../../model/ports/ledger-port.ts';
import { RecordStore } from './record-store.ts';
import { createSharedValues } from './shared-values.ts';
import { SideState } from './side-state.ts';
import type { SideChange, StoredChange } from './stored-change.ts';
import type { StoredRecord } from './stored-record.ts';

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
    ...this.records.reader,
    ...this.side.reader,
    changes: () => this.#changes(),
  };

  apply(change: StoredChange): void {
    const { records } = this;
    if (change.kind === 'put') this.put(change.ref.folder, directoryOf(change.ref.path), change.record);
    else if (change.kind === 'drop') records.drop(change.ref);
    else if (change.kind === 'directory') records.identify(change, change.identity);
    else this.side.apply(change);
  }

  put(folder: string, directory: string, record: StoredRecord): void {
    const before = this.records.put(folder, directory, record);
    const isTold = ({ rare, ...stat }: StoredRecord) => tellsOf({ stat, standing: rare?.standing }, record);
    // Without another answer of the service it tells no more of the file than before.
    const isAsBefore =
      before?.docId === record.docId && before.modifiedAt === record.modifiedAt && isTold(before);
    if (isTold(record) && !isAsBefore) this.side.recorded(record);
  }

  *#changes(): Iterable<Change> {
    const { entries, folders, directories, directory } = this.records.reader;
    for (const entry of entries()) yield { kind: 'put', ...entry };
    for (const folder of folders())
      for (const path of directories(folder)) {
        const identity = directory({ folder, path });
        if (identity !== undefined) yield { kind: 'directory', folder, path, identity };
      }
    yield* this.side.changes();
  }

  capture(): Capture {
    return { records: this.records.capture(), changes: this.side.changes() };
  }
}

/** A record that is not taken up: nothing else is wrong with the ledger. */
export interface RejectedRecord extends DocumentRef {
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
