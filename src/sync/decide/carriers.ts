import type { DocumentRef, FoundDocument, Inspection } from '../../model/document.ts';
import { refKey } from '../../model/document.ts';
import type { LedgerEntry, LedgerPort, LedgerRecord } from '../../model/ports/ledger-port.ts';

/**
 * Documents that carry a found file as an attachment, as far as the ledger knows. A file with a document of its own may be
 * a hard link of one: then only the path counts.
 */
export function carriersOf(
  { ref, stat }: FoundDocument,
  ledger: Pick<LedgerPort, 'findCarriers' | 'get'>,
): readonly LedgerEntry[] {
  const isNew = ledger.get(ref) === undefined;
  return ledger
    .findCarriers(ref, stat)
    .filter((entry) => refKey(entry.ref) !== refKey(ref) && (isNew || carriesPath(entry, ref)));
}

function carriesPath({ ref, record }: LedgerEntry, { folder, path }: DocumentRef): boolean {
  return ref.folder === folder && record.attachments.some((attachment) => attachment.path === path);
}

/**
 * Whether a document has let go of a file that it carried: it stands there, settled and valid, and does not list it. Where
 * it is gone its deletion decides, and where there will be none (`isKept`) the grace period.
 */
export function hasLetGo(
  carrier: Inspection,
  { folder, path }: DocumentRef,
  { from, isKept, isGracePast }: { from: DocumentRef; isKept: boolean; isGracePast: boolean },
): boolean {
  if (carrier.kind === 'absent') return isKept && isGracePast;
  if (carrier.kind !== 'document') return false;
  return (
    from.folder !== folder || carrier.document.attachments.every((attachment) => attachment.path !== path)
  );
}

/**
 * What had a say in what the service holds of a document. A record of an older version does not tell; that there was a
 * sidecar shows in attachments that lie elsewhere than in the document's own directory of them.
 */
export function companionsOf(
  { path }: DocumentRef,
  record: LedgerRecord | undefined,
): LedgerRecord['companions'] {
  if (record === undefined || record.companions !== undefined) return record?.companions;
  const isListed = record.attachments.some((one) => one.path?.startsWith(`${path}.attachments/`) === false);
  return isListed ? { sidecar: 'name', defaults: [] } : undefined;
}
