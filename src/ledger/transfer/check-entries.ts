import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import type { LedgerEntry } from '../../model/ports/ledger-port.ts';
import type { ImportedLedger, ImportOptions, ImportProblem } from './imported-ledger.ts';
import { isValidRef } from '../format/valid-ref.ts';

/** A document from an import file and where it stands there. */
export interface ImportedEntry {
  readonly entry: LedgerEntry;
  readonly line: number | null;
  /** How a message names its place: `documents[3]`, or empty. */
  readonly place: string;
}

/** Sorts out documents that cannot be: of unknown folders, outside of them, or twice. */
export function checkEntries(
  imported: readonly ImportedEntry[],
  { folders }: Pick<ImportOptions, 'folders'>,
  found: readonly ImportProblem[] = [],
): ImportedLedger {
  const problems = [...found];
  const paths = new Set<string>();
  const docIds = new Map<string, string>();
  for (const { entry, line, place } of imported) {
    const { ref, record } = entry;
    const message =
      refProblem(ref, folders) ??
      (paths.has(refKey(ref)) ? `${ref.path} appears twice` : null) ??
      docIdProblem(entry, docIds.get(record.docId));
    paths.add(refKey(ref));
    docIds.set(record.docId, refKey(ref));
    if (message !== null) problems.push({ line, message: `${place}${message}` });
  }
  const taken = problems.length === 0 ? imported : [];
  return { entries: taken.map(({ entry }) => entry), lines: taken.map(({ line }) => line), problems };
}

/** Why a reference cannot be one of a configured folder; null: it can. */
export function refProblem(ref: DocumentRef, folders: readonly string[]): string | null {
  if (!folders.includes(ref.folder)) {
    return `no folder named ${JSON.stringify(ref.folder)} is configured; there ${folders.length === 1 ? 'is' : 'are'} ${folders.join(', ')}`;
  }
  return isValidRef(ref) ? null : `${JSON.stringify(ref.path)} is not a path inside the folder`;
}

function docIdProblem({ record }: LedgerEntry, owner: string | undefined): string | null {
  // Control characters never are part of an identifier, and would travel in addresses and on terminals.
  if (record.docId === '' || /[\p{Cc}\s]/u.test(record.docId)) {
    return `${JSON.stringify(record.docId)} is not a docId`;
  }
  return owner === undefined ? null : `docId ${record.docId} also belongs to ${owner}`;
}
