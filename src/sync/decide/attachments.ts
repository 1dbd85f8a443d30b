import { directoryOf, isAlike, isSameFile, pathAfterMove, refKey } from '../../model/document.ts';
import type { DocumentRef, FileStat, FoundDocument } from '../../model/document.ts';
import type { ComparedDocument } from '../../model/operation.ts';
import { attachmentDirectoryEnd } from '../../model/names-and-types.ts';
import { heldElsewhere } from '../../model/plan.ts';
import { filesOfRecord } from '../../model/ports/ledger-port.ts';
import type {
  LedgerEntry,
  LedgerPort,
  LedgerRecord,
  RecordedAttachment,
} from '../../model/ports/ledger-port.ts';

/** What a record says of attachments that were compared and not sent: the service holds them, or the last ones it had. */
export function unsentAttachments(
  { document, attachmentHashes }: ComparedDocument,
  record: LedgerRecord | null,
): readonly RecordedAttachment[] {
  const held = record?.attachments ?? [];
  if (document.attachments.length === 0) {
    // Without a valid sidecar nothing says that they are no attachments any more; else their files, wherever they are, are.
    if ((document.sidecar ?? null) === null) return held;
    // Of those that an answer was lost about it says nothing, so that the next ones are sent.
    return record?.unsure?.attachments === true ? [] : held.map(placeless);
  }
  const found = document.attachments.map(({ name, path, stat }, index) => ({
    name,
    path,
    stat,
    sha256: attachmentHashes[index] ?? held.find((one) => one.name === name)?.sha256 ?? '',
  }));
  return [...found, ...heldElsewhere(document, held)];
}

/** What is unsure of them as long as none are sent: while nothing says that they are none any more, they stay attachments. */
export function unsureStill({ document }: ComparedDocument, record: LedgerRecord): LedgerRecord['unsure'] {
  if (document.attachments.length > 0 || (document.sidecar ?? null) !== null) return undefined;
  const isHeld = record.unsure?.attachments === true && record.attachments.length > 0;
  return isHeld ? { content: false, attachments: true, metadata: [] } : undefined;
}

/** An attachment that is held, and whose file is none any more, wherever that is. */
function placeless({ name, sha256, stat }: RecordedAttachment): RecordedAttachment {
  return { name, sha256, stat: { ...stat, ino: 0 } };
}

/** What a document was last sent with besides what lay in its own directory of attachments, from the root of its folder. */
export function sentWith({ path: owner }: DocumentRef, record: LedgerRecord | undefined): readonly string[] {
  const own = `${owner}${attachmentDirectoryEnd}`;
  return (record?.attachments ?? []).flatMap(({ path, folder }) =>
    path === undefined || folder !== undefined || directoryOf(path) === own ? [] : [path],
  );
}

/** A document that moves. */
interface MovedDocument {
  readonly from: DocumentRef;
  readonly to: DocumentRef;
  /** Its directory moves. */
  readonly isWithDirectory: boolean;
}

/**
 * The attachments of a record whose document moves. With its directory, those beside it and below move along; all others
 * stay, as far as is known before the document is compared again.
 */
export function attachmentsAfterMove(
  { attachments }: LedgerRecord,
  { from, to, isWithDirectory }: MovedDocument,
): readonly RecordedAttachment[] {
  return attachments.map((attachment) => {
    const { path, folder = from.folder, ...file } = attachment;
    if (path === undefined) return attachment;
    const isBelow = isWithDirectory && folder === from.folder;
    const moved = isBelow ? pathAfterMove(path, directoryOf(from.path), directoryOf(to.path)) : null;
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
 * A record with an attachment that stands in another place now, where nothing tells of the one that it had (`isLeft`: its
 * folder was taken out of the configuration, or it was listed, and the sidecar is gone): from then on that is its place,
 * whatever is saved there. Null: it has none.
 */
export function withAttachmentAt(
  { ref, record }: LedgerEntry,
  { ref: place, stat }: FoundDocument,
  isLeft: (place: DocumentRef) => boolean,
): LedgerEntry | null {
  const hasCome = (one: RecordedAttachment) =>
    isLeft({ folder: one.folder ?? ref.folder, path: one.path ?? '' }) && isSameFile(one.stat, stat);
  if (hasAttachmentAt({ ref, record }, place) || !record.attachments.some(hasCome)) return null;
  const attachments = record.attachments.map((one) => (hasCome(one) ? placedAt(place, ref, one) : one));
  return { ref, record: { ...record, attachments } };
}

/** A record of whose attachment in a place a valid sidecar says that it is none any more. Null: it has none there. */
export function withAttachmentDropped({ ref, record }: LedgerEntry, place: DocumentRef): LedgerEntry | null {
  if (!hasAttachmentAt({ ref, record }, place)) return null;
  const attachments = record.attachments.map((one) => (isAttachedAt(one, ref, place) ? placeless(one) : one));
  return { ref, record: { ...record, attachments } };
}

/**
 * A record with an attachment in whose place another file was saved: it is that one, of which the service has nothing yet.
 * `before`: the file that stood there, where that is not the attachment's own place. Null: it has none.
 */
export function withAttachmentSaved(
  { ref, record }: LedgerEntry,
  place: DocumentRef,
  by: FileStat,
  before?: FileStat,
): LedgerEntry | null {
  const stat = { ...by, ctimeMs: 0 };
  const isSaved = (one: RecordedAttachment) =>
    !isSameFile(one.stat, by) &&
    (isAttachedAt(one, ref, place) || (before !== undefined && isSameFile(one.stat, before)));
  if (!record.attachments.some(isSaved)) return null;
  const attachments = record.attachments.map((one) => (isSaved(one) ? { ...one, stat } : one));
  return { ref, record: { ...record, attachments } };
}

/** A document whose attachment a found file is, or was. */
export interface FormerOwner {
  /** Where the document stands, or stood. */
  readonly owners: readonly DocumentRef[];
  /** Its file, where it was seen last; absent: its record tells. */
  readonly ownerStat?: FileStat | undefined;
  /** Where a scan saw it attach the file; absent: its record tells. */
  readonly seenAt?: DocumentRef;
  /** The file's own, as its attachment. */
  readonly place: DocumentRef;
  /** The name that it was last sent with. */
  readonly name?: string | undefined;
  /** Null: the document was not sent with it. */
  readonly record: LedgerRecord | null;
  /**
   * Without a number its content tells the file, where its place is empty: the hash of that; null: it is not known, and
   * size and time have to do. Absent: it is told already.
   */
  readonly sha256?: string | null | undefined;
}

/** In `said` of a document that stays at the service though its file is not sent any more, before the code of the reason. */
export const remainsMark = 'remains ';
export const attachedMark = `${remainsMark}attachment`;

/**
 * Documents that went out with a found file as an attachment, as far as the ledger knows. A file that went out as a
 * document of its own, and was not attached since, may be a hard link of one: then only the path counts.
 */
export function recordedOwners(
  { ref, stat }: Pick<FoundDocument, 'ref' | 'stat'>,
  ledger: Pick<LedgerPort, 'findByFile' | 'findOwners' | 'get'>,
): readonly FormerOwner[] {
  // Its record may be at the path from which it has moved.
  const moved = stat.ino === 0 ? [] : ledger.findByFile(stat).map(({ record }) => record);
  // Where another file stands in its place, it is no longer that document’s.
  const own = [ledger.get(ref), ...moved].find(
    (one) => one !== undefined && filesOfRecord(one).every((file) => isAlike(file, stat)),
  );
  const isOwn = own !== undefined && own.said?.includes(attachedMark) !== true;
  return ledger.findOwners(ref, stat).flatMap(({ ref: owner, record }): readonly FormerOwner[] => {
    // Its own file, in the place of its attachment.
    if (refKey(owner) === refKey(ref) || filesOfRecord(record).some((file) => isSameFile(file, stat)))
      return [];
    const here = record.attachments.filter((one) => isAttachedAt(one, owner, ref));
    const isLike = ({ path, stat: attached, sha256 }: RecordedAttachment) =>
      path !== undefined && isAlike(attached, stat) && !(isOwn && (stat.ino !== 0 || own.sha256 === sha256));
    const found = here.length > 0 ? here : record.attachments.filter(isLike);
    return found.map(({ name, path = '', folder = owner.folder, sha256 }) => ({
      owners: [owner],
      place: { folder, path },
      name,
      record,
      sha256: here.length > 0 || stat.ino !== 0 ? undefined : sha256,
    }));
  });
}

function hasAttachmentAt({ ref, record }: LedgerEntry, place: DocumentRef): boolean {
  return record.attachments.some((one) => isAttachedAt(one, ref, place));
}

/** Whether a document was sent with this very file in its place, as far as files can be told apart. */
export function hasAttached({ ref, record }: LedgerEntry, place: DocumentRef, file: FileStat): boolean {
  return record.attachments.some((one) => isAttachedAt(one, ref, place) && isAlike(one.stat, file));
}

function isAttachedAt({ path, folder }: RecordedAttachment, owner: DocumentRef, place: DocumentRef): boolean {
  return path === place.path && (folder ?? owner.folder) === place.folder;
}
