import { isDeepStrictEqual } from 'node:util';

import { directoryOf, isSameFile, nameOf, pathAfterMove, refKey } from '../../model/document.ts';
import type { Claim, DocumentRef, FoundDocument, Inspection, OwnersClaims } from '../../model/document.ts';
import { sidecarPlaces } from '../../model/names-and-types.ts';
import type { ComparedDocument } from '../../model/operation.ts';
import type {
  Change,
  LedgerEntry,
  LedgerPort,
  LedgerRecord,
  RecordedAttachment,
} from '../../model/ports/ledger-port.ts';

/**
 * What a record says of attachments that were compared and not sent: the service holds them, or the last ones it had.
 * Of those that an answer was lost about it says nothing, so that the next ones are sent.
 */
export function unsentAttachments(
  { document, attachmentHashes }: ComparedDocument,
  record: LedgerRecord | null,
): readonly RecordedAttachment[] {
  const held = record?.attachments ?? [];
  if (document.attachments.length === 0) {
    if (record?.unsure?.attachments === true) return [];
    return held.map(noLongerCarried);
  }
  return document.attachments.map(({ name, path, stat }, index) => ({
    name,
    path,
    stat,
    sha256: attachmentHashes[index] ?? held.find((one) => one.name === name)?.sha256 ?? '',
  }));
}

/** The service holds it because it cannot be taken back; the file, wherever it is, is no attachment any more. */
function noLongerCarried({ name, sha256, stat }: RecordedAttachment): RecordedAttachment {
  return { name, sha256, stat: { ...stat, ino: 0 } };
}

/**
 * The attachments of a record whose document moves: those beside it and below move along, as far as is known before the
 * document is compared again. What it lists elsewhere stays.
 */
export function attachmentsAfterMove(
  { attachments }: LedgerRecord,
  from: DocumentRef,
  to: DocumentRef,
): readonly RecordedAttachment[] {
  return attachments.map((attachment) => {
    const { path, folder = from.folder, ...file } = attachment;
    if (path === undefined) return attachment;
    const moved =
      folder !== from.folder
        ? null
        : (pathAfterMove(path, `${from.path}.attachments`, `${to.path}.attachments`) ??
          pathAfterMove(path, directoryOf(from.path), directoryOf(to.path)));
    return placedAt({ folder: moved === null ? folder : to.folder, path: moved ?? path }, to, file);
  });
}

/** An attachment where its file is now, which may be in another folder than its document. */
function placedAt(
  { folder, path }: DocumentRef,
  owner: DocumentRef,
  { name, stat, sha256 }: Pick<RecordedAttachment, 'name' | 'stat' | 'sha256'>,
): RecordedAttachment {
  return { name, stat, sha256, path, ...(folder === owner.folder ? null : { folder }) };
}

/**
 * A record with an attachment whose folder was taken out of the configuration, and which stands in another one now: from
 * then on that is its place, whatever is saved there. Null: it has none.
 */
export function withAttachmentAt(
  { ref, record }: LedgerEntry,
  { ref: place, stat }: FoundDocument,
  isConfigured: (folder: string) => boolean,
): LedgerEntry | null {
  const hasCome = (attachment: RecordedAttachment) =>
    !isConfigured(attachment.folder ?? ref.folder) && isSameFile(attachment.stat, stat);
  if (carriesPath({ ref, record }, place) || !record.attachments.some(hasCome)) return null;
  const attachments = record.attachments.map((one) => (hasCome(one) ? placedAt(place, ref, one) : one));
  return { ref, record: { ...record, attachments } };
}

/**
 * Documents that carry a found file as an attachment, as far as the ledger knows. A file with a document of its own may
 * be a hard link of one: then only the path counts.
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

export function carriesPath({ ref, record }: LedgerEntry, place: DocumentRef): boolean {
  return record.attachments.some(
    ({ path, folder = ref.folder }) => path === place.path && folder === place.folder,
  );
}

/**
 * Whether a document has let go of a file that it carried: it stands there, settled and valid, and does not list it.
 * Where it is gone its deletion decides, and where there will be none (`isKept`) the grace period.
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
 * What the ledger has to learn of what sidecars attach: what the record of the document does not say. Nothing for most,
 * which list no attachments or have been sent with them.
 */
export function claimChanges(
  folder: string,
  claims: readonly (readonly [owner: string, claim: Claim])[],
  ledger: Pick<LedgerPort, 'get' | 'claims'>,
): readonly Change[] {
  return claims.flatMap(([owner, stated]): readonly Change[] => {
    const ref = { folder, path: owner };
    const record = ledger.get(ref);
    const isCarried = (path: string) =>
      record !== undefined && carriesPath({ ref, record }, { folder, path });
    const known = ledger.claims(folder).get(owner);
    const claim = { ...stated, paths: stated.paths.filter((path) => !isCarried(path)) };
    const isKnown = known === undefined ? claim.paths.length === 0 : isDeepStrictEqual(known, claim);
    return isKnown ? [] : [{ kind: 'claim', ref, claim }];
  });
}

/**
 * What the sidecars of a folder attached when they were last valid: what went out with their documents, and what did not
 * yet. A scan from scratch begins with it.
 */
export function knownClaims(
  folder: string,
  ledger: Pick<LedgerPort, 'carriers' | 'claims' | 'directory'>,
): OwnersClaims {
  const claims = new Map(ledger.claims(folder));
  for (const { ref, record } of ledger.carriers(folder)) {
    const sent = record.attachments.flatMap((attachment) => {
      const isListed = attachment.folder === undefined && isListedBy(ref, attachment);
      return isListed && attachment.path !== undefined ? [attachment.path] : [];
    });
    if (sent.length === 0) continue;
    const { byName, byStem } = sidecarPlaces(ref.path);
    const sidecar = nameOf(record.companions?.sidecar === 'stem' ? byStem : byName);
    const directory = ledger.directory({ folder, path: directoryOf(ref.path) });
    const unsent = claims.get(ref.path);
    claims.set(ref.path, { sidecar, directory, ...unsent, paths: [...(unsent?.paths ?? []), ...sent] });
  }
  return claims;
}

/** It lies elsewhere than in the document's own directory of attachments. */
function isListedBy({ path: owner }: DocumentRef, { path }: RecordedAttachment): boolean {
  return path?.startsWith(`${owner}.attachments/`) === false;
}
