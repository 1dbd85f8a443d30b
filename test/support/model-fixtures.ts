import type { ComparedDocument } from '../../src/model/operation.ts';
import type { FileStat } from '../../src/model/document.ts';
import type { LedgerRecord } from '../../src/model/ports/ledger-port.ts';
import type { Metadata } from '../../src/model/metadata/metadata.ts';

/** A stat of a small file; name what matters. */
export function statOf(parts: Partial<FileStat> = {}): FileStat {
  return { size: 10, mtimeMs: 1_000, ctimeMs: 1_000, birthtimeMs: 500, ino: 7, dev: 1, ...parts };
}

/** A record of an uploaded document; name what matters. */
export function recordOf(parts: Partial<LedgerRecord> = {}): LedgerRecord {
  return {
    docId: 'doc-1',
    sha256: 'aa'.repeat(32),
    stat: statOf(),
    fingerprint: '',
    fileName: 'a.pdf',
    attachments: [],
    metadata: {},
    uploadedAt: '2026-01-01T00:00:00Z',
    modifiedAt: null,
    possibleDuplicates: 0,
    ...parts,
  };
}

/** A found document; attachments as name and hash, null for one that was not read. */
export function comparedOf({
  sha256 = null,
  metadata = {},
  fileName = 'a.pdf',
  attachments = [],
}: {
  sha256?: string | null;
  metadata?: Metadata;
  fileName?: string;
  attachments?: readonly (readonly [string, string | null])[];
} = {}): ComparedDocument {
  return {
    document: {
      ref: { folder: 'inbox', path: fileName },
      stat: statOf(),
      fingerprint: '',
      fileName,
      metadata,
      attachments: attachments.map(([name]) => ({
        name,
        path: `${fileName}.attachments/${name}`,
        stat: statOf(),
      })),
    },
    sha256,
    attachmentHashes: attachments.map(([, hash]) => hash),
  };
}
