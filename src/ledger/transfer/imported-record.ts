import { nameOf, unknownStat } from '../../model/document.ts';
import type { FileStat } from '../../model/document.ts';
import type { LedgerRecord } from '../../model/ports/ledger-port.ts';

interface Known extends Partial<LedgerRecord> {
  readonly docId: string;
  readonly path: string;
  readonly uploadedAt: string;
  /** 0: not known. */
  readonly size?: number;
  readonly stat?: FileStat;
}

/** A record of a document whose file has not been inspected: unknown values are empty. */
export function importedRecord({ path, size = 0, ...known }: Known): LedgerRecord {
  return {
    sha256: '',
    stat: { ...unknownStat, size },
    fingerprint: '',
    fileName: nameOf(path),
    attachments: [],
    metadata: {},
    modifiedAt: null,
    possibleDuplicates: 0,
    ...known,
  };
}
