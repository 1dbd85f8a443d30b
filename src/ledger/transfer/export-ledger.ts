import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import type { Change, LedgerEntry, LedgerRecord } from '../../model/ports/ledger-port.ts';
import { exportedChangeSchema } from '../../model/ports/ledger-schema.ts';
import type { LedgerReader } from '../records/ledger-data.ts';
import type { ImportedChange } from './imported-ledger.ts';

/** A document as `ledger export` prints it: `size` is that of `stat`, for whoever reads no more. */
type ExportedDocument = DocumentRef & Omit<LedgerRecord, 'fingerprint'> & { readonly size: number };

/** What `ledger export` prints: documents by folder and path, and what else the ledger knows as it stands there. */
export interface LedgerExport {
  readonly version: 1;
  /** Whose documents they are; undefined: the ledger does not say. */
  readonly service: string | undefined;
  readonly documents: readonly ExportedDocument[];
  readonly changes: readonly ImportedChange[];
}

/** The ledger as one JSON object. */
export function exportLedger(ledger: LedgerReader): LedgerExport {
  return {
    version: 1,
    service: ledger.service() ?? undefined,
    // By code unit: the same order everywhere.
    documents: Array.from(ledger.entries(), exported).sort((a, b) => (refKey(a) < refKey(b) ? -1 : 1)),
    changes: Array.from(ledger.changes()).filter(isExported),
  };
}

function exported({ ref, record }: LedgerEntry): ExportedDocument {
  const { fingerprint: _, ...known } = record;
  return { ...ref, ...known, size: known.stat.size };
}

const exportedKinds = new Set<string>(exportedChangeSchema.options.map(({ shape }) => shape.kind.value));

function isExported(change: Change): change is ImportedChange {
  return exportedKinds.has(change.kind);
}
