import { refKey } from '../../model/document.ts';
import type { Change, LedgerEntry } from '../../model/ports/ledger-port.ts';
import { exportedChangeSchema } from '../../model/ports/ledger-schema.ts';
import type { LedgerReader } from '../records/ledger-data.ts';
import type { ImportedChange } from './imported-ledger.ts';

/** What `ledger export` prints. */
export type LedgerExport = ReturnType<typeof exportLedger>;

/** The ledger as one JSON object: documents by folder and path, and what else the ledger knows as it stands there. */
export function exportLedger(ledger: LedgerReader) {
  return {
    version: 1,
    /** Whose documents they are; undefined: the ledger does not say. */
    service: ledger.service() ?? undefined,
    // By code unit: the same order everywhere.
    documents: Array.from(ledger.entries(), exported).sort((a, b) => (refKey(a) < refKey(b) ? -1 : 1)),
    changes: Array.from(ledger.changes()).filter(isExported),
  };
}

/** `size` is that of `stat`, for whoever reads no more. */
function exported({ ref, record }: LedgerEntry) {
  const { fingerprint: _, ...known } = record;
  return { ...ref, ...known, size: known.stat.size };
}

const exportedKinds = new Set<string>(exportedChangeSchema.options.map(({ shape }) => shape.kind.value));

function isExported(change: Change): change is ImportedChange {
  return exportedKinds.has(change.kind);
}
