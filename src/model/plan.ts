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
import { isDelete, metadataDelta, uploadMetadata } from './metadata/metadata-delta.ts';
import { modeOf } from './metadata/metadata.ts';
import type { Metadata } from './metadata/metadata.ts';
import type { LedgerRecord, RecordedAttachment, Unsure } from './ports/ledger-port.ts';

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
 * The document's sharing mode is the one that may go out (`keepHeldMode`).
 */
export function planDocument(compared: ComparedDocument, record: LedgerRecord | null): Operation {
  const { document } = compared;
  if (record === null) {
    const { kept, metadata } = document;
    // A mode that nobody knows stays by not being sent, but an upload without one would share the document as DEFAULT.
    const stated =
      kept?.because === 'unknown' ? { ...metadata, shareInfo: { mode: kept.held.mode } } : metadata;
    const { send, accepted } = uploadMetadata(stated);
    return { kind: 'upload', metadata: send, accepted };
  }
  const said = record.said ?? [];
  const { unsure } = record;
  const delta =
    unsure === undefined
      ? metadataDelta(document.metadata, record.metadata, said)
      : unsureDelta(document.metadata, record, unsure);
  const content =
    unsure?.content === true || unsure?.gone === true || differs(compared.sha256, record.sha256);
  // The service may hold others: they are replaced, or cannot be taken back.
  const overUnsure = document.attachments.length > 0 ? 'changed' : 'cannot-clear';
  const attachments =
    unsure?.attachments === true ? overUnsure : judgeAttachments(compared, record.attachments);
  const stuck = attachments === 'cannot-clear' && !said.includes(lastAttachment.code);
  const late = isTimestampLate(document, record) && !said.includes(lateTimestamp.code);
  const unclearable = [
    ...delta.unclearable,
    ...(stuck ? [lastAttachment] : []),
    ...(late ? [lateTimestamp] : []),
  ];
  const { change, accepted } = delta;
  if (!content && attachments !== 'changed' && change === null)
    return { kind: 'none', accepted, unclearable };
  return {
    kind: 'modify',
    docId: record.docId,
    content,
    attachments: attachments === 'changed',
    metadata: change,
    accepted,
    unclearable,
    bulk: content || attachments === 'changed' ? null : bulkOf(change, accepted.documentOwner),
  };
}

/** A document of which nothing was hashed. */
export function unread(document: FoundDocument): ComparedDocument {
  return { document, sha256: null, attachmentHashes: document.attachments.map(() => null) };
}

/** What attempts without an answer may have changed is put right; with the content goes how it is shared. */
function unsureDelta(
  metadata: Metadata,
  { metadata: accepted, said }: LedgerRecord,
  { content, metadata: attempts }: Unsure,
): MetadataDelta {
  const wanted = restatedMetadata(metadata, accepted, attempts);
  const { shareInfo, ...known } = unsureMetadata(wanted, accepted, attempts);
  const isAgain = content && wanted.shareInfo !== undefined;
  return metadataDelta(wanted, isAgain ? known : { ...known, shareInfo }, said);
}

/** A timestamp that follows the modification time was not stated by anybody; that of an imported document is unknown. */
function isTimestampLate({ metadata, stat }: FoundDocument, { metadata: held }: LedgerRecord): boolean {
  const { createdTimestamp } = metadata;
  if (createdTimestamp === undefined || held.createdTimestamp === undefined) return false;
  return createdTimestamp !== held.createdTimestamp && createdTimestamp !== timestampOf(stat.mtimeMs);
}

/** Null: not read, because the stat is that of the record. Empty: imported, the bytes were never known. */
function differs(found: string | null, recorded: string): boolean {
  return found !== null && recorded !== '' && found !== recorded;
}

/** Whether the service holds attachments of a document as far as can be known, those that an answer was lost about too. */
export function mayHoldAttachments({ attachments, unsure, said }: LedgerRecord): boolean {
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
  const elsewhere = heldElsewhere(document, recorded);
  const left = recorded.filter((one) => !elsewhere.includes(one));
  const isSame =
    found.length === left.length &&
    found.every((attachment, index) => {
      const place = placeAmong(left, attachment, attachmentHashes[index] ?? null);
      if (place !== -1) left.splice(place, 1);
      return place !== -1;
    });
  return isSame ? 'same' : 'changed';
}

/** What a document without a sidecar was sent with and is in another folder by now: nothing says that it is none. */
export function heldElsewhere(
  { sidecar = null }: FoundDocument,
  recorded: readonly RecordedAttachment[],
): readonly RecordedAttachment[] {
  return sidecar === null ? recorded.filter(({ folder }) => folder !== undefined) : [];
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

/** Null: a bulk call cannot carry the change. The owner goes along: the service may need it to find the document. */
export function bulkOf(
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
