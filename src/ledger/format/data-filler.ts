import { directoryOf, isValidDirectory, isValidName, isValidRef, joinPath } from '../../model/document.ts';
import type { LedgerData } from '../records/ledger-data.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import type { StoredChange } from './change-format.ts';

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
    if (judged.isValid && isValidName(record.name)) data.records.put(folder, directory, record);
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
