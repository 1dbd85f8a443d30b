import type * as z from 'zod';

import type { DeepReadonly } from '../../lib/deep-readonly.ts';
import { joinPath, nameOf } from '../../model/document.ts';
import type { DocumentRef, FileIdentity, FileStat } from '../../model/document.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';
import { stemOf } from '../../model/names-and-types.ts';
import type { LedgerEntry, LedgerRecord } from '../../model/ports/ledger-port.ts';
import { hashPattern, recordSchema } from '../../model/ports/ledger-schema.ts';
import { asNumber, asObject, asShape, asText, ShapeError } from './shape.ts';
import type { SharedValues } from './shared-values.ts';

/** One directory that holds records. */
export interface Directory {
  readonly folder: string;
  /** From the folder's root; `''` is the root itself. */
  readonly path: string;
  readonly records: Map<string, StoredRecord>;
  /** Which directory it was when its records were found in it; null: not known. */
  identity: FileIdentity | null;
}

/** What few records have: all that has no place of its own below. */
const rareSchema = recordSchema
  .omit({
    docId: true,
    sha256: true,
    stat: true,
    fingerprint: true,
    metadata: true,
    companions: true,
    uploadedAt: true,
    modifiedAt: true,
  })
  .partial();
const rareKeys = rareSchema.keyof().options;

/** A time in UTC: milliseconds since 1970 where the text can be made from them again, else the text as it came. */
type StoredTime = number | string;

/**
 * A record as memory keeps it, about 450 bytes with its names and indexes: there may be 100,000. All have the same
 * fields in the same order, values that repeat are the same object, and what few have is apart. Never changed once it
 * is in the store, so that a snapshot can be written while commits go on.
 */
export interface StoredRecord extends FileStat, Pick<LedgerRecord, 'docId' | 'sha256' | 'companions'> {
  /** Set once, when it is put into the store. */
  directory: Directory | null;
  /** Of the file. */
  readonly name: string;
  readonly fingerprint: string;
  /** Without title and createdTimestamp, which nearly every document has of its own. Frozen, shared. */
  readonly metadata: Metadata;
  /** Undefined: the file name without its extension. Null: the metadata has none. */
  readonly title: string | null | undefined;
  /** A whole second, or a text. */
  readonly createdTimestamp: StoredTime | undefined;
  readonly uploadedAt: StoredTime;
  readonly modifiedAt: StoredTime | undefined;
  /** No `fileName` is that of the file. */
  readonly rare: DeepReadonly<z.output<typeof rareSchema>> | null;
}

const noAttachments: LedgerRecord['attachments'] = Object.freeze([]);

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

function metadataOf({ name, metadata, title: given, createdTimestamp: created }: StoredRecord): Metadata {
  const title = given === undefined ? stemOf(name) : given;
  const timed = created === undefined ? null : { createdTimestamp: secondsText(created) };
  return title === null ? { ...metadata, ...timed } : { title, ...metadata, ...timed };
}

/** A record of the port, checked and detached from what the caller holds; a ShapeError where it is not valid. */
export function fromRecord(record: LedgerRecord, path: string, shared: SharedValues): StoredRecord {
  const name = ownName(path);
  const { title, createdTimestamp, ...metadata } = record.metadata;
  const { uploadedAt, modifiedAt, fileName, possibleDuplicates } = record;
  const fields = {
    ...record,
    metadata,
    title: title === stemOf(name) ? undefined : (title ?? null),
    createdTimestamp: createdTimestamp === undefined ? undefined : fromText(createdTimestamp, secondsText),
    uploadedAt: fromText(uploadedAt, millisecondsText),
    modifiedAt: modifiedAt === null ? undefined : fromText(modifiedAt, millisecondsText),
    fileName: fileName === name ? undefined : fileName,
    possibleDuplicates: possibleDuplicates === 0 ? undefined : possibleDuplicates,
  };
  return readRecord(fields, name, shared);
}

/**
 * JSON of a record as it stands in a file, its place first: its name in the snapshot, `kind`, `folder` and `path` in the
 * journal. The snapshot gives numbers for `fingerprint` and `metadata`, whose lines come before; the journal the values
 * themselves. What is undefined is left out.
 *
 *     {"name":"report.pdf","docId":"…","sha256":"…","stat":{"size":1,"mtimeMs":1760000000000.25,"ctimeMs":…,
 *      "birthtimeMs":…,"ino":4711,"dev":65025},"fingerprint":0,"metadata":0,"createdTimestamp":1760000000000,
 *      "uploadedAt":1767225600000}
 *
 * One object of always the same fields, but for what few have: with fields that come only at times, each would cost
 * several times as much.
 */
export function recordJson(
  stored: StoredRecord,
  place: Readonly<Record<string, string>>,
  { fingerprint, metadata }: { readonly fingerprint: string | number; readonly metadata: Metadata | number },
): string {
  const { docId, sha256, size, mtimeMs, ctimeMs, birthtimeMs, ino, dev, rare } = stored;
  const { title, createdTimestamp, uploadedAt, modifiedAt, companions } = stored;
  const stat: FileStat = { size, mtimeMs, ctimeMs, birthtimeMs, ino, dev };
  const fields = {
    ...place,
    docId,
    sha256,
    stat,
    fingerprint,
    metadata,
    title,
    createdTimestamp,
    uploadedAt,
    modifiedAt,
    companions,
  };
  return JSON.stringify(rare === null ? fields : { ...fields, ...rare });
}

/** A record out of a file's fields, or a ShapeError. By hand: there are many, and a schema takes ten times as long. */
export function readRecord(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  values: SharedValues,
): StoredRecord {
  const { title, createdTimestamp, modifiedAt, companions } = fields;
  const docId = asText(fields['docId'], 'docId');
  if (docId === '') throw new ShapeError('docId is empty');
  const sha256 = asText(fields['sha256'], 'sha256');
  if (!hashPattern.test(sha256)) throw new ShapeError('sha256 is not a hash');
  const stat = asObject(fields['stat'], 'stat');
  return {
    directory: null,
    name,
    docId,
    sha256,
    size: asNumber(stat['size'], 'size'),
    mtimeMs: asNumber(stat['mtimeMs'], 'mtimeMs'),
    ctimeMs: asNumber(stat['ctimeMs'], 'ctimeMs'),
    birthtimeMs: asNumber(stat['birthtimeMs'], 'birthtimeMs'),
    ino: asNumber(stat['ino'], 'ino'),
    dev: asNumber(stat['dev'], 'dev'),
    fingerprint: values.fingerprint(fields['fingerprint']),
    metadata: values.metadata(fields['metadata']),
    title: title === undefined || title === null ? title : asText(title, 'title'),
    createdTimestamp:
      createdTimestamp === undefined ? undefined : asTime(createdTimestamp, 'createdTimestamp'),
    uploadedAt: asTime(fields['uploadedAt'], 'uploadedAt'),
    modifiedAt: modifiedAt === undefined ? undefined : asTime(modifiedAt, 'modifiedAt'),
    companions: companions === undefined ? undefined : values.companions(companions),
    rare: readRare(fields),
  };
}

function readRare(fields: Readonly<Record<string, unknown>>): StoredRecord['rare'] {
  if (rareKeys.every((key) => isUsual(fields[key]))) return null;
  const kept = rareKeys.filter((key) => !isUsual(fields[key]));
  const rare = Object.fromEntries(kept.map((key) => [key, fields[key]]));
  return asShape(rareSchema, rare, 'a record');
}

/** A list of nothing says no more than none. */
function isUsual(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

function asTime(value: unknown, what: string): StoredTime {
  if (typeof value === 'string') return value;
  const time = asNumber(value, what);
  if (!isDate(time)) throw new ShapeError(`${what} is not a time`);
  return time;
}

/** A time as a number, where that gives the very text again. */
function fromText(text: string, toText: (time: number) => string): StoredTime {
  const time = Date.parse(text);
  return isDate(time) && toText(time) === text ? time : text;
}

/** `2026-01-01T00:00:00.000Z`. */
function millisecondsText(time: StoredTime): string {
  return typeof time === 'string' ? time : new Date(time).toISOString();
}

/** `2026-01-01T00:00:00Z`. */
function secondsText(time: StoredTime): string {
  return typeof time === 'string' ? time : `${new Date(time).toISOString().slice(0, -'.000Z'.length)}Z`;
}

/** Years of four digits: others have another form of text. */
function isDate(time: number): boolean {
  return Number.isInteger(time) && time >= 0 && time < Date.UTC(10_000, 0);
}

/** Where a record stands that is in the store. */
export function refOf({ directory, name }: StoredRecord): DocumentRef {
  if (directory === null) throw new Error('the record is in no directory');
  return { folder: directory.folder, path: joinPath(directory.path, name) };
}

export function toEntry(stored: StoredRecord): LedgerEntry {
  return { ref: refOf(stored), record: toRecord(stored) };
}

/** The last name of a path, as a text of its own: a part of a path keeps the whole of it in memory. */
export function ownName(path: string): string {
  return Buffer.from(nameOf(path)).toString();
}
