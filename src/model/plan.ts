import { printable } from '../lib/text/printable.ts';
import { sameStat } from './document.ts';
import type { FoundAttachment, FoundDocument } from './document.ts';
import type {
  BulkChange,
  ComparedDocument,
  MetadataChange,
  MetadataDelta,
  Operation,
  Unclearable,
} from './operation.ts';
import { unsureMetadata, restatedMetadata } from './metadata/unsure-metadata.ts';
import { timestampOf } from './metadata/effective-metadata.ts';
import { isDelete, metadataDelta, unstatedMode, uploadMetadata } from './metadata/metadata-delta.ts';
import { isWider, narrowestMode } from './metadata/held-mode.ts';
import { modeOf } from './metadata/metadata.ts';
import type { Metadata, ShareMode } from './metadata/metadata.ts';
import type { LedgerRecord, RecordedAttachment } from './ports/ledger-port.ts';
import type { Reason } from './report/status.ts';

/** `code` of what is withheld until a sidecar is renamed or removed. */
export const leftSidecarCode = 'sidecar-left-behind';

/** What a bulk call is stated to update, interface 4.6. */
const bulkFields: ReadonlySet<string> = new Set(['companies', 'customTags', 'shareInfo']);

/** Said when the last attachment goes. */
const lastAttachment: Unclearable = {
  code: 'attachments',
  message:
    'the last attachments stay at the service, which can replace attachments but not remove all of them',
};

/** Said when a sidecar states another one than went out with the upload, interface 2.3. */
export const lateTimestamp: Unclearable = {
  code: 'createdTimestamp',
  message: 'the createdTimestamp stays as it was sent with the upload, because the service cannot change it',
};

/**
 * Decides what to send for a document that stands in its folder: everything when there is no record, else only the
 * parts that differ from what the service last accepted. An imported record (`sha256` empty: bytes not known) adopts
 * the bytes that stand there, without sending them. What an unanswered modify may have
 * changed is sent again, and the content after an unanswered deletion: the answer tells whether the document is there.
 * A file name that differs is no difference by itself: the service learns it when content goes out next.
 * A wider sharing mode may be withheld, and all else is sent.
 * `lost`: the record of a document that the service no longer has, in whose place this one is uploaded.
 */
export function planDocument(
  compared: ComparedDocument,
  record: LedgerRecord | null,
  lost: LedgerRecord | null = null,
): Operation {
  const { document } = compared;
  if (record === null) {
    const { metadata, withheld } = inPlaceOf(lost, document);
    const { send, accepted } = uploadMetadata(metadata);
    return { kind: 'upload', metadata: send, accepted, withheld };
  }
  const said = record.said ?? [];
  const { unsure } = record;
  const delta =
    unsure === undefined
      ? metadataDelta(document.metadata, record.metadata, said)
      : unsureDelta(document.metadata, record, unsure.metadata);
  const content =
    unsure?.content === true || unsure?.gone === true || differs(compared.sha256, record.sha256);
  const attachments =
    unsure?.attachments === true
      ? unsureAttachments(document)
      : judgeAttachments(compared, record.attachments);
  const stuck = attachments === 'cannot-clear' && !said.includes(lastAttachment.code);
  const late = isTimestampLate(document, record) && !said.includes(lateTimestamp.code);
  const unclearable = [
    ...delta.unclearable,
    ...(stuck ? [lastAttachment] : []),
    ...(late ? [lateTimestamp] : []),
  ];
  const withheld = withholding(delta.change, document, record);
  const { change, accepted } = withheld === null ? delta : withoutMode(delta, record);
  if (!content && attachments !== 'changed' && change === null)
    return { kind: 'none', accepted, unclearable, withheld };
  return {
    kind: 'modify',
    docId: record.docId,
    content,
    attachments: attachments === 'changed',
    metadata: change,
    accepted,
    unclearable,
    withheld,
    bulk: content || attachments === 'changed' ? null : bulkOf(change, accepted.documentOwner),
  };
}

/**
 * Why a change of the sharing mode may not go out to more people than before. Null: it may, or there is none.
 * - The service would show attachments that nobody lists any more, and that it cannot remove.
 * - The document was renamed or moved, and the sidecar that states the narrower mode was not.
 */
function withholding(
  change: MetadataChange | null,
  document: FoundDocument,
  record: LedgerRecord,
): Reason | null {
  if (change?.shareInfo === undefined) return null;
  const after = modeOf(change);
  if (!isWider(after, narrowestMode(record))) return null;
  if (document.attachments.length === 0 && mayHoldAttachments(record)) {
    const why =
      'more people would see attachments that it no longer lists, and that the service cannot remove';
    return { code: 'attachments-would-show', message: `${keptMode(after)}: ${why}` };
  }
  return leftBehind(after, document, record);
}

/** Why a document may not get a wider mode: the sidecar that states the narrower one stands elsewhere. */
function leftBehind(after: ShareMode, { leftSidecar }: FoundDocument, record: LedgerRecord): Reason | null {
  if (leftSidecar === undefined || !isWider(after, narrowestMode(record))) return null;
  return leftSidecarReason(keptMode(after), leftSidecar);
}

/** `what` is not done while a sidecar stands at `sidecar` that the document may have had. */
export function leftSidecarReason(what: string, sidecar: string): Reason {
  const why = `it was renamed or moved without its sidecar, which may be ${printable(sidecar)}; move that beside the document and name it after it, write a new one there, or remove that one`;
  return { code: leftSidecarCode, message: `${what}: ${why}` };
}

function keptMode(after: ShareMode): string {
  return `its sharing mode is not changed to ${after}`;
}

function withoutMode(
  { change, accepted }: MetadataDelta,
  { metadata: { shareInfo } }: LedgerRecord,
): Pick<MetadataDelta, 'change' | 'accepted'> {
  const { shareInfo: _, ...rest } = change ?? {};
  return { change: Object.keys(rest).length === 0 ? null : rest, accepted: { ...accepted, shareInfo } };
}

/** A document of which nothing was hashed. */
export function unread(document: FoundDocument): ComparedDocument {
  return { document, sha256: null, attachmentHashes: document.attachments.map(() => null) };
}

/**
 * What is uploaded of a document's metadata in the place of a lost one: the sharing mode is what the modify would have left
 * it, for which the upload stands.
 */
function inPlaceOf(
  lost: LedgerRecord | null,
  document: FoundDocument,
): { readonly metadata: Metadata; readonly withheld: Reason | null } {
  const { metadata } = document;
  if (lost === null) return { metadata, withheld: null };
  const withMode = (mode: ShareMode): Metadata => ({ ...metadata, shareInfo: { mode } });
  const staysPrivate = metadata.shareInfo === undefined && unstatedMode(lost.metadata) === 'NONE';
  const stated = staysPrivate ? withMode('NONE') : metadata;
  const withheld = leftBehind(modeOf(stated), document, lost);
  return { metadata: withheld === null ? stated : withMode(narrowestMode(lost)), withheld };
}

/** What attempts without an answer may have changed is put right. */
function unsureDelta(
  metadata: Metadata,
  { metadata: accepted, said }: LedgerRecord,
  attempts: readonly Metadata[],
): MetadataDelta {
  const wanted = restatedMetadata(metadata, accepted, attempts);
  return metadataDelta(wanted, unsureMetadata(wanted, accepted, attempts), said);
}

/**
 * A timestamp that follows the modification time was not stated by anybody; that of an imported document is unknown.
 */
function isTimestampLate({ metadata, stat }: FoundDocument, { metadata: held }: LedgerRecord): boolean {
  const { createdTimestamp } = metadata;
  if (createdTimestamp === undefined || held.createdTimestamp === undefined) return false;
  return createdTimestamp !== held.createdTimestamp && createdTimestamp !== timestampOf(stat.mtimeMs);
}

/** Null: not read, because the stat is that of the record. Empty: imported, the bytes were never known. */
function differs(found: string | null, recorded: string): boolean {
  return found !== null && recorded !== '' && found !== recorded;
}

/** The service may hold others: they are replaced, or cannot be taken back. */
function unsureAttachments({ attachments }: FoundDocument): 'changed' | 'cannot-clear' {
  return attachments.length > 0 ? 'changed' : 'cannot-clear';
}

/** Whether the service holds attachments of a document as far as can be known, those that an answer was lost about too. */
function mayHoldAttachments({ attachments, unsure, said }: LedgerRecord): boolean {
  return (
    attachments.length > 0 || unsure?.attachments === true || said?.includes(lastAttachment.code) === true
  );
}

/** The set counts, not the order: the service is given a whole new set or none. */
function judgeAttachments(
  { document, attachmentHashes }: ComparedDocument,
  recorded: readonly RecordedAttachment[],
): 'same' | 'changed' | 'cannot-clear' {
  const found = document.attachments;
  if (found.length === 0) return recorded.length === 0 ? 'same' : 'cannot-clear';
  if (found.length !== recorded.length) return 'changed';
  const left = [...recorded];
  for (const [index, attachment] of found.entries()) {
    const place = placeAmong(left, attachment, attachmentHashes[index] ?? null);
    if (place === -1) return 'changed';
    left.splice(place, 1);
  }
  return 'same';
}

/** Two attachments from different directories may have the same name: the most specific match is tried first. */
function placeAmong(
  recorded: readonly RecordedAttachment[],
  { name, stat }: FoundAttachment,
  sha256: string | null,
): number {
  const exact = recorded.findIndex(
    (known) =>
      known.name === name && (sha256 === null ? sameStat(known.stat, stat) : known.sha256 === sha256),
  );
  if (exact !== -1) return exact;
  return recorded.findIndex((known) => known.name === name && !differs(sha256, known.sha256));
}

/**
 * Null: a bulk call cannot carry the change. The owner goes along because the service may need it to find the document.
 */
function bulkOf(
  change: MetadataChange | null,
  owner: string | undefined,
): { readonly key: string; readonly change: BulkChange } | null {
  if (change === null || !Object.keys(change).every((field) => bulkFields.has(field))) return null;
  const { companies, customTags, shareInfo } = change;
  const key = JSON.stringify([
    inFixedOrder(companies),
    inFixedOrder(customTags),
    shareInfo === undefined ? null : modeOf({ shareInfo }),
    owner ?? null,
  ]);
  return { key, change: owner === undefined ? change : { ...change, documentOwner: owner } };
}

/** Sidecars list the same elements in different orders. DELETEs still come before ADDs. */
function inFixedOrder(
  elements: MetadataChange['companies'] | MetadataChange['customTags'],
): readonly string[] {
  const texts = (elements ?? []).map(
    (element) => `${isDelete(element) ? '0' : '1'}${JSON.stringify(element)}`,
  );
  return texts.sort();
}
