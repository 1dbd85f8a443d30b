import type { DocumentRef } from '../model/document.ts';
import { refKey } from '../model/document.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import type { Activity } from '../model/report/status.ts';

interface Sources {
  readonly ledger: Pick<LedgerPort, 'get' | 'findByDocId'>;
  /** Newest last. */
  readonly recent: readonly Activity[];
}

/** What is known of a path where no file stands. */
interface AbsentFile {
  readonly message: string;
  /** Of the document that it was; null: nothing is known of one. */
  readonly docId: string | null;
  readonly uploadedAt: string | null;
  readonly deletedAt: string | null;
}

/** Says what became of a file that is not there: from the ledger, and from what happened lately. */
export function absentFile(ref: DocumentRef, { ledger, recent }: Sources): AbsentFile {
  const record = ledger.get(ref);
  if (record !== undefined) {
    return {
      message: 'the file is gone from the folder; the service still holds its document',
      docId: record.docId,
      uploadedAt: record.uploadedAt,
      deletedAt: null,
    };
  }
  const events = recent.filter((one) => one.folder === ref.folder && one.path === ref.path);
  const last = events.findLast(({ docId }) => docId !== null);
  const docId = last?.docId ?? null;
  if (last === undefined || docId === null) {
    const message = 'no such file is in the folder, and nothing is known of one';
    return { message, docId, uploadedAt: null, deletedAt: null };
  }
  const uploadedAt = events.find((one) => one.what === 'uploaded' && one.docId === docId)?.at ?? null;
  const elsewhere = ledger.findByDocId(docId);
  if (elsewhere !== undefined) {
    const message = `the file is gone from here: it was moved to ${refKey(elsewhere)}, and its document with it`;
    return { message, docId, uploadedAt, deletedAt: null };
  }
  const isDeleted = last.what === 'deleted';
  return {
    message: isDeleted
      ? 'the file is gone from the folder, and its document from the service'
      : 'the file is gone from the folder',
    docId,
    uploadedAt,
    deletedAt: isDeleted ? last.at : null,
  };
}
