import { orphanSidecarCode, refKey } from '../../model/document.ts';
import type { DocumentRef, Inspection } from '../../model/document.ts';
import { sidecarPlaces } from '../../model/names-and-types.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LedgerRecord, RecordedAttachment } from '../../model/ports/ledger-port.ts';

/**
 * What stands at a path now. Companions that its record knows are waited for; a sidecar that it left at another place is
 * looked for, in another folder by `inspectIn` (undefined: nobody can say).
 */
export async function inspectDocument(
  port: Pick<FolderPort, 'inspect'>,
  ref: DocumentRef,
  record: LedgerRecord | undefined,
  inspectIn: (ref: DocumentRef) => Promise<Inspection | undefined> = () => Promise.resolve(undefined),
): Promise<Inspection> {
  const found = await port.inspect(ref.path, companionsOf(ref, record));
  const left = record?.leftSidecar;
  if (left === undefined || found.kind !== 'document') return found;
  const { document } = found;
  if ((document.sidecar ?? null) !== null || document.leftSidecar !== undefined) return found;
  const isHere = left.folder === ref.folder;
  const sidecar = isHere ? await port.inspect(left.path) : await inspectIn(left);
  if (sidecar?.kind === 'settling') return sidecar;
  if (!isAlone(sidecar)) return found;
  return { kind: 'document', document: { ...document, leftSidecar: isHere ? left.path : refKey(left) } };
}

/** Whether a sidecar stands where it was and belongs to no document now, or may. */
function isAlone(found: Inspection | undefined): boolean {
  switch (found?.kind) {
    case undefined:
    case 'unknown':
      return true;
    case 'skipped':
      return found.code === orphanSidecarCode;
    case 'ignored':
      // No scan has told yet whose it is, or it lies where rules leave everything out.
      return found.owner === undefined && found.presence !== 'gone';
    case 'document':
    case 'settling':
    case 'absent':
    case 'waiting':
    case 'unfit':
      return false;
  }
}

/** Where the sidecar of a document stands that moves without it, as far as its record tells; undefined: it has none. */
export function leftSidecarOf(ref: DocumentRef, record: LedgerRecord): DocumentRef | undefined {
  const named = companionsOf(ref, record)?.sidecar ?? null;
  if (record.leftSidecar !== undefined || named === null) return record.leftSidecar;
  const { byName, byStem } = sidecarPlaces(ref.path);
  return { folder: ref.folder, path: named === 'name' ? byName : byStem };
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
