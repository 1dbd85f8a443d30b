import type { LedgerEntry } from '../../model/ports/ledger-port.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';
import type { LedgerReader } from '../records/ledger-data.ts';

/** One document as `ledger export` prints it, contract section 5; `fileName` and `said` stand beside. */
interface ExportedDocument {
  readonly folder: string;
  readonly path: string;
  readonly docId: string;
  readonly sha256: string;
  readonly size: number;
  readonly attachments: readonly { readonly name: string; readonly sha256: string }[];
  readonly metadata: Metadata;
  readonly uploadedAt: string;
  readonly modifiedAt: string | null;
  readonly possibleDuplicates: number;
  /** The file name that went out last. */
  readonly fileName: string;
  readonly said?: readonly string[];
}

/** What `ledger export` prints, contract section 5. */
export interface LedgerExport {
  readonly version: 1;
  /** Whose documents they are, where the ledger says so. */
  readonly service?: string;
  readonly documents: readonly ExportedDocument[];
}

/** The ledger as one JSON object; documents by folder, then by path. */
export function exportLedger(ledger: LedgerReader): LedgerExport {
  const service = ledger.service();
  const documents = [...ledger.entries()].map(exported).sort(byPlace);
  return { version: 1, ...(service === null ? null : { service }), documents };
}

function exported({ ref, record }: LedgerEntry): ExportedDocument {
  return {
    folder: ref.folder,
    path: ref.path,
    docId: record.docId,
    sha256: record.sha256,
    size: record.stamp.size,
    attachments: record.attachments.map(({ name, sha256 }) => ({ name, sha256 })),
    metadata: record.metadata,
    uploadedAt: record.uploadedAt,
    modifiedAt: record.modifiedAt,
    possibleDuplicates: record.possibleDuplicates,
    fileName: record.fileName,
    ...(record.said === undefined ? null : { said: record.said }),
  };
}

function byPlace(a: ExportedDocument, b: ExportedDocument): number {
  return compare(a.folder, b.folder) || compare(a.path, b.path);
}

/** By code unit: the same order everywhere. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
