import { isSameFile } from '../../model/document.ts';
import type {
  DocumentRef,
  FoundAttachment,
  FoundDocument,
  HeldMode,
  Inspection,
} from '../../model/document.ts';
import { keepHeldMode } from '../../model/metadata/held-mode.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LedgerPort, LedgerRecord } from '../../model/ports/ledger-port.ts';
import { sentWith } from './attachments.ts';

/** What else is known of a file than its path tells. */
export interface FileKnowledge {
  /** Records whose file this very file is, or was, and those that carry it as an attachment. */
  readonly findHolders: LedgerPort['findHolders'];
  /** What a file counts as held with that has no record. */
  readonly unsentModes: (file: Pick<FoundDocument, 'ref' | 'stat'>) => readonly HeldMode[];
  /** What own sidecars state for other names of a file that were not sent with it yet. */
  readonly linkedModes: FileKnowledge['unsentModes'];
}

const nothingKnown: FileKnowledge = {
  findHolders: () => [],
  unsentModes: () => [],
  linkedModes: () => [],
};

/** What stands at a path now, with the sharing mode that may go out. */
export async function inspectDocument(
  port: Pick<FolderPort, 'inspect'>,
  ref: DocumentRef,
  record: LedgerRecord | undefined,
  { findHolders, unsentModes, linkedModes }: FileKnowledge = nothingKnown,
): Promise<Inspection> {
  const listed = sentWith(ref, record);
  const found = await port.inspect(ref.path, listed);
  const stated = found.kind === 'document' ? found.document : found.stated;
  if (stated === undefined) return found;
  const isAnothers = ({ path, stat }: FoundAttachment) =>
    listed.includes(path) &&
    record?.attachments.some((one) => one.path === path && isSameFile(one.stat, stat)) === false &&
    findHolders(stat).some((holder) => isSameFile(holder.record.stat, stat));
  // A document of its own that has come to the place of an attachment is none, unless a sidecar says so.
  const isListed = listed.length === 0 || (stated.sidecar ?? null) !== null;
  const attachments = stated.attachments.filter((one) => isListed || !isAnothers(one));
  const document = isListed ? stated : { ...stated, attachments };
  const holders = {
    records: findHolders(document.stat),
    unsent: unsentModes(document),
    links: linkedModes(document),
  };
  if (found.kind === 'document')
    return { kind: 'document', document: keepHeldMode(document, record, holders) };
  return { ...found, stated: keepHeldMode(document, record, holders, null) };
}
