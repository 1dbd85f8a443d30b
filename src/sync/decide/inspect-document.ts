import type { DocumentRef, FoundDocument, HeldMode, Inspection } from '../../model/document.ts';
import { keepHeldMode } from '../../model/metadata/held-mode.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LedgerPort, LedgerRecord, RecordedAttachment } from '../../model/ports/ledger-port.ts';

/** What else is known of a file than its path tells. */
export interface FileKnowledge {
  /** Records whose file this very file is, or was, and those that carry it as an attachment. */
  readonly findHolders: LedgerPort['findHolders'];
  /** The narrowest mode that an own sidecar stated for a file before it was sent; null: none did. */
  readonly unsentMode: (file: Pick<FoundDocument, 'stat'>) => HeldMode | null;
}

const nothingKnown: FileKnowledge = { findHolders: () => [], unsentMode: () => null };

/** What stands at a path now, with the sharing mode that may go out. */
export async function inspectDocument(
  port: Pick<FolderPort, 'inspect'>,
  ref: DocumentRef,
  record: LedgerRecord | undefined,
  { findHolders, unsentMode }: FileKnowledge = nothingKnown,
): Promise<Inspection> {
  const found = await port.inspect(ref.path, companionsOf(ref, record));
  if (found.kind !== 'document') return found;
  const { document } = found;
  const holders = { records: findHolders(document.stat), unsent: unsentMode(document) };
  return { kind: 'document', document: keepHeldMode(document, record, holders) };
}

/** It lies elsewhere than in the document's own directory of attachments. */
export function isListedBy({ path: owner }: DocumentRef, { path }: RecordedAttachment): boolean {
  return path?.startsWith(`${owner}.attachments/`) === false;
}

/**
 * What had a say in what the service holds of a document. A record of an older version does not tell; that there was a
 * sidecar shows in attachments that lie elsewhere than in the document's own directory of them.
 */
export function companionsOf(ref: DocumentRef, record: LedgerRecord | undefined): LedgerRecord['companions'] {
  if (record === undefined || record.companions !== undefined) return record?.companions;
  const isListed = record.attachments.some((attachment) => isListedBy(ref, attachment));
  return isListed ? { sidecar: 'name', defaults: [] } : undefined;
}
