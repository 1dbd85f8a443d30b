import { joinPath, nameOf } from '../../model/document.ts';
import type { DocumentRef, FileIdentity, FileStat } from '../../model/document.ts';
import { stemOf } from '../../model/names-and-types.ts';
import type { LedgerEntry, LedgerRecord, RecordedAttachment } from '../../model/ports/ledger-port.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';
import type { Rare, RecordFields, StoredTime } from '../format/record-schemas.ts';

/** One directory that holds records. */
export interface Directory {
  readonly folder: string;
  /** From the folder's root; `''` is the root itself. */
  readonly path: string;
  readonly records: Map<string, StoredRecord>;
  /** Which directory it was when its records were found in it; null: not known. */
  identity: FileIdentity | null;
}

/**
 * A record as memory keeps it, about 450 bytes with its names and indexes: there may be 100,000. All have the same
 * fields in the same order, values that repeat are the same object, and what few have is apart. Never changed once it
 * is in the store, so that a snapshot can be written while commits go on.
 */
export interface StoredRecord extends FileStat, Omit<RecordFields, 'stat' | keyof Rare> {
  /** Set once, when it is put into the store. */
  directory: Directory | null;
  /** Of the file. */
  readonly name: string;
  readonly fingerprint: string;
  /** Without title and createdTimestamp, which nearly every document has of its own. Frozen, shared. */
  readonly metadata: Metadata;
  readonly rare: Rare | null;
}

const noAttachments: readonly RecordedAttachment[] = Object.freeze([]);

/** The record as the rest of the program knows it. */
export function toRecord(stored: StoredRecord): LedgerRecord {
  const { name, rare, size, mtimeMs, ctimeMs, birthtimeMs, ino, dev } = stored;
  const record: LedgerRecord = {
    docId: stored.docId,
    sha256: stored.sha256,
    stat: { size, mtimeMs, ctimeMs, birthtimeMs, ino, dev },
    fingerprint: stored.fingerprint,
    fileName: name,
    attachments: noAttachments,
    metadata: metadataOf(stored),
    uploadedAt: millisecondsText(stored.uploadedAt),
    modifiedAt: stored.modifiedAt === undefined ? null : millisecondsText(stored.modifiedAt),
    possibleDuplicates: 0,
    companions: stored.companions,
  };
  // No field of it is undefined.
  return rare === null ? record : { ...record, ...(rare as Partial<LedgerRecord>) };
}

/** Where a record stands that is in the store. */
export function refOf({ directory, name }: StoredRecord): DocumentRef {
  if (directory === null) throw new Error('the record is in no directory');
  return { folder: directory.folder, path: joinPath(directory.path, name) };
}

export function toEntry(stored: StoredRecord): LedgerEntry {
  return { ref: refOf(stored), record: toRecord(stored) };
}

function metadataOf({ name, metadata, title: given, createdTimestamp: created }: StoredRecord): Metadata {
  const title = given === undefined ? stemOf(name) : given;
  const timed = created === undefined ? null : { createdTimestamp: secondsText(created) };
  return title === null ? { ...metadata, ...timed } : { title, ...metadata, ...timed };
}

/** `2026-01-01T00:00:00.000Z` as a number, where that gives the very text again. */
export function fromMillisecondsText(text: string): StoredTime {
  const time = Date.parse(text);
  return isDate(time) && millisecondsText(time) === text ? time : text;
}

/** `2026-01-01T00:00:00Z` as a number, where that gives the very text again. */
export function fromSecondsText(text: string): StoredTime {
  const time = Date.parse(text);
  return isDate(time) && secondsText(time) === text ? time : text;
}

function millisecondsText(time: StoredTime): string {
  return typeof time === 'string' ? time : new Date(time).toISOString();
}

function secondsText(time: StoredTime): string {
  return typeof time === 'string' ? time : `${new Date(time).toISOString().slice(0, -'.000Z'.length)}Z`;
}

/** Years of four digits: others have another form of text. */
export function isDate(time: number): boolean {
  return Number.isInteger(time) && time >= 0 && time < Date.UTC(10_000, 0);
}

/** The last name of a path, as a text of its own: a part of a path keeps the whole of it in memory. */
export function ownName(path: string): string {
  return Buffer.from(nameOf(path)).toString();
}
