import { nameOf, refKey } from '../../model/document.ts';
import type { DocumentRef, FoundDocument, Inspection } from '../../model/document.ts';
import { keepHeldMode } from '../../model/metadata/held-mode.ts';
import { sidecarPlaces } from '../../model/names-and-types.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LedgerPort, LedgerRecord, RecordedAttachment } from '../../model/ports/ledger-port.ts';

/** Of so many moves it is remembered where a document may have left its sidecar. */
const mostPlaces = 4;

/** Where a sidecar may stand that a document left. */
export interface OtherPlaces {
  /** What stands at a path of a folder; undefined: nobody can say. */
  readonly inspectIn: (ref: DocumentRef) => Promise<Inspection | undefined>;
  /** A sidecar of this name that belongs to no document, in any folder; null: none is known. */
  readonly orphanNamed: (name: string) => DocumentRef | null;
  /** Records whose file this very file is, or was, and those that carry it as an attachment. */
  readonly findHolders: LedgerPort['findHolders'];
}

const nothingKnown: OtherPlaces = {
  inspectIn: () => Promise.resolve(undefined),
  orphanNamed: () => null,
  findHolders: () => [],
};

/**
 * What stands at a path now, with the sharing mode that goes with its file. Companions that its record knows are waited
 * for; a sidecar that it left at another place is looked for there, whichever document it belongs to by now, and by its
 * name.
 */
export async function inspectDocument(
  port: Pick<FolderPort, 'inspect'>,
  ref: DocumentRef,
  record: LedgerRecord | undefined,
  places: OtherPlaces = nothingKnown,
): Promise<Inspection> {
  const found = await inspectCompanions(port, ref, record, places);
  if (found.kind !== 'document') return found;
  const holders = places.findHolders(found.document.stat);
  return { kind: 'document', document: keepHeldMode(found.document, record, holders) };
}

async function inspectCompanions(
  port: Pick<FolderPort, 'inspect'>,
  ref: DocumentRef,
  record: LedgerRecord | undefined,
  { inspectIn, orphanNamed }: OtherPlaces,
): Promise<Inspection> {
  const found = await port.inspect(ref.path, companionsOf(ref, record));
  const left = record?.leftSidecars ?? [];
  if (found.kind !== 'document' || (found.document.sidecar ?? null) !== null) return found;
  for (const place of left) {
    const there = place.folder === ref.folder ? await port.inspect(place.path) : await inspectIn(place);
    if (there?.kind === 'settling') return there;
    if (!isGone(there)) return leaving(found.document, place);
  }
  for (const { path } of left) {
    const orphan = orphanNamed(nameOf(path));
    if (orphan !== null) return leaving(found.document, orphan);
  }
  return found;
}

function leaving(document: FoundDocument, sidecar: DocumentRef): Inspection {
  const leftSidecar = sidecar.folder === document.ref.folder ? sidecar.path : refKey(sidecar);
  return { kind: 'document', document: { ...document, leftSidecar } };
}

/** Whether nothing stands at the path of a sidecar, as far as its inspection tells. */
export function isGone(found: Inspection | undefined): boolean {
  return found?.kind === 'absent' || (found?.kind === 'ignored' && found.presence === 'gone');
}

/** What the record of a document says of sidecars that it left, once it stands as it was found. */
export function stillLeft(
  { leftSidecar }: FoundDocument,
  record: LedgerRecord | undefined,
): LedgerRecord['leftSidecars'] {
  return leftSidecar === undefined ? undefined : record?.leftSidecars;
}

/** Where the sidecar of a document may stand that moves without it, as far as its record tells; undefined: it has none. */
export function leftSidecarsOf(ref: DocumentRef, record: LedgerRecord): LedgerRecord['leftSidecars'] {
  const { leftSidecars: before = [] } = record;
  const named = companionsOf(ref, record)?.sidecar ?? null;
  if (before.length === 0 && named === null) return undefined;
  const { byName, byStem } = sidecarPlaces(ref.path);
  // One that did not come along at first may have followed since.
  const last = { folder: ref.folder, path: named === 'stem' ? byStem : byName };
  return [last, ...before.filter((place) => refKey(place) !== refKey(last))].slice(0, mostPlaces);
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
