import type { Metadata } from '../../model/metadata/metadata.ts';
import { stemOf } from '../../model/names-and-types.ts';
import type { LedgerRecord } from '../../model/ports/ledger-port.ts';
import type { SharedValues } from '../records/shared-values.ts';
import { fromMillisecondsText, fromSecondsText, isDate, ownName } from '../records/stored-record.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import { hashPattern, heldMetadataSchema } from '../../model/ports/change-schema.ts';
import { companionsSchema, rareSchema } from './record-schemas.ts';
import type { Rare, RecordFields, StoredTime } from './record-schemas.ts';
import { asNumber, asObject, asShape, asText, ShapeError } from './shape.ts';

/** A record of the port, checked and detached from what the caller holds; a ShapeError where it is not valid. */
export function fromPort(record: LedgerRecord, path: string, shared: SharedValues): StoredRecord {
  const name = ownName(path);
  const { title, createdTimestamp, ...metadata } = record.metadata;
  const { uploadedAt, modifiedAt, fileName, possibleDuplicates } = record;
  return readRecord(
    {
      ...record,
      title: title === stemOf(name) ? undefined : (title ?? null),
      createdTimestamp: createdTimestamp === undefined ? undefined : fromSecondsText(createdTimestamp),
      uploadedAt: fromMillisecondsText(uploadedAt),
      modifiedAt: modifiedAt === null ? undefined : fromMillisecondsText(modifiedAt),
      fileName: fileName === name ? undefined : fileName,
      possibleDuplicates: possibleDuplicates === 0 ? undefined : possibleDuplicates,
    },
    { name, ...sharedOf({ fingerprint: record.fingerprint, metadata }, shared), shared },
  );
}

/** Where a record stands: `name` in the snapshot, the others in the journal. */
interface Place {
  readonly kind?: 'put' | undefined;
  readonly folder?: string | undefined;
  readonly path?: string | undefined;
  readonly name?: string | undefined;
}

/**
 * JSON of a record as it stands in a file, its place first. What is undefined is left out. One object of always the
 * same fields, but for what few have: with fields that come only at times, each would cost several times as much.
 */
export function recordJson(
  stored: StoredRecord,
  { kind, folder, path, name }: Place,
  { fingerprint, metadata }: Pick<RecordFields, 'fingerprint' | 'metadata'>,
): string {
  const { docId, sha256, size, mtimeMs, ctimeMs, birthtimeMs, ino, dev, rare } = stored;
  const { title, createdTimestamp, uploadedAt, modifiedAt, companions } = stored;
  const fields: Place & RecordFields = {
    kind,
    folder,
    path,
    name,
    docId,
    sha256,
    stat: { size, mtimeMs, ctimeMs, birthtimeMs, ino, dev },
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

/** What is known of a record besides its own fields. */
interface Surroundings {
  readonly name: string;
  readonly fingerprint: string;
  readonly metadata: Metadata;
  readonly shared: SharedValues;
}

/** Fingerprint and metadata as they stand in a record, each kept once for all records; a ShapeError. */
export function sharedOf(
  fields: Readonly<Record<string, unknown>>,
  shared: SharedValues,
): Pick<Surroundings, 'fingerprint' | 'metadata'> {
  return {
    fingerprint: shared.text(asText(fields['fingerprint'], 'fingerprint')),
    metadata: shared.metadata(fields['metadata'], checkMetadata),
  };
}

/** A record out of a file's fields, or a ShapeError. By hand: there are many, and a schema takes ten times as long. */
export function readRecord(
  fields: Readonly<Record<string, unknown>>,
  { name, fingerprint, metadata, shared }: Surroundings,
): StoredRecord {
  const { title, createdTimestamp, modifiedAt, companions } = fields;
  const docId = asText(fields['docId'], 'docId');
  if (docId === '') throw new ShapeError('docId is empty');
  const sha256 = asText(fields['sha256'], 'sha256');
  if (!hashPattern.test(sha256)) throw new ShapeError('sha256 is not a hash');
  const stat = asObject(fields['stat'], 'stat');
  if (title !== undefined && title !== null) asText(title, 'title');
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
    fingerprint,
    metadata,
    title: title as string | null | undefined,
    createdTimestamp:
      createdTimestamp === undefined ? undefined : asTime(createdTimestamp, 'createdTimestamp'),
    uploadedAt: asTime(fields['uploadedAt'], 'uploadedAt'),
    modifiedAt: modifiedAt === undefined ? undefined : asTime(modifiedAt, 'modifiedAt'),
    companions:
      companions === undefined
        ? undefined
        : shared.companions(companions, (value) => asShape(companionsSchema, value, 'companions')),
    rare: readRare(fields),
  };
}

const rareKeys = rareSchema.keyof().options;

function readRare(fields: Readonly<Record<string, unknown>>): Rare | null {
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
  if (!isDate(asNumber(value, what))) throw new ShapeError(`${what} is not a time`);
  return value as number;
}

/** Metadata that is valid, or a ShapeError. */
export function checkMetadata(value: unknown): Metadata {
  return asShape(heldMetadataSchema, value, 'metadata');
}
