import * as z from 'zod';

import type { LedgerRecord, RecordedAttachment, Unsure } from '../model/ports/ledger-port.ts';
import type { Metadata } from '../model/metadata/metadata.ts';
import { metadataSchema } from './metadata-schema.ts';
import { asNumber, asShape, asText, ShapeError } from './shape.ts';
import { stampSchema } from './stamp-schema.ts';
import { codeToTime, isTimeCode, timeToCode } from './time-code.ts';

/** What few records have, and values in a form that the plain cells cannot carry. */
export interface Extras {
  readonly fileName?: string | undefined;
  readonly attachments?: readonly RecordedAttachment[] | undefined;
  readonly said?: readonly string[] | undefined;
  readonly unsure?: Unsure | undefined;
  readonly possibleDuplicates?: number | undefined;
  readonly sha256?: string | undefined;
  readonly uploadedAt?: string | undefined;
  readonly modifiedAt?: string | undefined;
  readonly createdTimestamp?: string | undefined;
}

/** Where a title is the file name without its extension, and where there is none: most records. */
const titleCodes = { none: 0, stem: 1 } as const;

/**
 * A record without what it shares with others (context, metadata but title and time), in the order in which
 * journal and snapshot write it: docId, SHA-256 as hex, size, mtimeMs, ctimeMs, birthtimeMs, ino, dev, title or
 * its code, time codes of createdTimestamp, uploadedAt and modifiedAt (0: none, or in the extras), extras.
 */
export type Cells = readonly [
  docId: string,
  sha256: string,
  size: number,
  mtimeMs: number,
  ctimeMs: number,
  birthtimeMs: number,
  ino: number,
  dev: number,
  title: string | 0 | 1,
  created: number,
  uploaded: number,
  modified: number,
  extras?: Extras,
];

const FIRST_NUMBER = 2;
const TITLE = 8;
const EXTRAS = 12;
const HASH_DIGITS = 64;
const HASH = /^(?:[0-9a-f]{64})?$/;
const cellNames = [
  'docId',
  'sha256',
  'size',
  'mtimeMs',
  'ctimeMs',
  'birthtimeMs',
  'ino',
  'dev',
  'title',
  'createdTimestamp',
  'uploadedAt',
  'modifiedAt',
];

/** What stands in the last cell of a record that has one. */
export const extrasSchema: z.ZodType<Extras> = z.strictObject({
  fileName: z.string().optional(),
  attachments: z
    .array(z.strictObject({ name: z.string(), sha256: z.string(), stamp: stampSchema }))
    .optional(),
  said: z.array(z.string()).optional(),
  unsure: z
    .strictObject({
      content: z.boolean(),
      attachments: z.boolean(),
      metadata: z.array(metadataSchema),
      gone: z.literal(true).optional(),
    })
    .optional(),
  possibleDuplicates: z.int().nonnegative().optional(),
  sha256: z.string().optional(),
  uploadedAt: z.string().optional(),
  modifiedAt: z.string().optional(),
  createdTimestamp: z.string().optional(),
});

/** Cells of a record at a file of this name. */
export function cellsOf(record: LedgerRecord, name: string): Cells {
  const { docId, sha256, stamp, metadata } = record;
  const { title, createdTimestamp } = metadata;
  const created = createdTimestamp === undefined ? 0 : timeToCode(createdTimestamp);
  const uploaded = timeToCode(record.uploadedAt);
  const modified = record.modifiedAt === null ? 0 : timeToCode(record.modifiedAt);
  const plainHash = HASH.test(sha256);
  const extras: Extras = {
    ...(record.fileName === name ? null : { fileName: record.fileName }),
    ...(record.attachments.length === 0 ? null : { attachments: record.attachments.map(plainAttachment) }),
    ...(record.said === undefined ? null : { said: record.said }),
    ...(record.unsure === undefined ? null : { unsure: record.unsure }),
    ...(record.possibleDuplicates === 0 ? null : { possibleDuplicates: record.possibleDuplicates }),
    ...(plainHash ? null : { sha256 }),
    ...(uploaded === 0 ? { uploadedAt: record.uploadedAt } : null),
    ...(record.modifiedAt !== null && modified === 0 ? { modifiedAt: record.modifiedAt } : null),
    ...(createdTimestamp !== undefined && created === 0 ? { createdTimestamp } : null),
  };
  const { size, mtimeMs, ctimeMs, birthtimeMs, ino, dev } = stamp;
  const titleCell = title === undefined ? titleCodes.none : title === stemOf(name) ? titleCodes.stem : title;
  const hash = plainHash ? sha256 : '';
  const cells = [docId, hash, size, mtimeMs, ctimeMs, birthtimeMs, ino, dev, titleCell] as const;
  if (Object.keys(extras).length === 0) return [...cells, created, uploaded, modified];
  return [...cells, created, uploaded, modified, extras];
}

/** What makes cells into a whole record again. */
export interface RecordParts {
  readonly cells: Cells;
  readonly name: string;
  readonly context: string;
  /** The metadata but title and createdTimestamp. */
  readonly shared: Metadata;
}

/** The record of cells that were checked. A sweep asks for one a file: written out, it takes a third of the time. */
export function recordOf({ cells, name, context, shared }: RecordParts): LedgerRecord {
  const extras = cells[EXTRAS];
  const created = cells[9];
  const createdTimestamp = created === 0 ? extras?.createdTimestamp : codeToTime(created);
  const uploaded = cells[10];
  const modified = cells[11];
  const record: LedgerRecord = {
    docId: cells[0],
    sha256: extras?.sha256 ?? cells[1],
    stamp: {
      size: cells[2],
      mtimeMs: cells[3],
      ctimeMs: cells[4],
      birthtimeMs: cells[5],
      ino: cells[6],
      dev: cells[7],
    },
    context,
    fileName: extras?.fileName ?? name,
    attachments: extras?.attachments ?? [],
    metadata: metadataOf(shared, titleOf(cells[TITLE], name), createdTimestamp),
    uploadedAt: uploaded === 0 ? (extras?.uploadedAt ?? '') : codeToTime(uploaded),
    modifiedAt: modified === 0 ? (extras?.modifiedAt ?? null) : codeToTime(modified),
    possibleDuplicates: extras?.possibleDuplicates ?? 0,
  };
  if (extras?.said === undefined && extras?.unsure === undefined) return record;
  return {
    ...record,
    ...(extras.said === undefined ? null : { said: extras.said }),
    ...(extras.unsure === undefined ? null : { unsure: extras.unsure }),
  };
}

function metadataOf(
  shared: Metadata,
  title: string | undefined,
  createdTimestamp: string | undefined,
): Metadata {
  if (title !== undefined && createdTimestamp !== undefined) return { title, ...shared, createdTimestamp };
  if (title !== undefined) return { title, ...shared };
  return createdTimestamp === undefined ? { ...shared } : { ...shared, createdTimestamp };
}

function titleOf(cell: Cells[8], name: string): string | undefined {
  if (cell === titleCodes.none) return undefined;
  return cell === titleCodes.stem ? stemOf(name) : cell;
}

/** Cells as they were read, or a ShapeError. The digits of the hash are not looked at: see `RecordTable.insert`. */
export function checkCells(values: readonly unknown[]): Cells {
  if (values.length !== EXTRAS && values.length !== EXTRAS + 1)
    throw new ShapeError('a record has missing cells');
  if (asText(values[0], 'docId') === '') throw new ShapeError('docId is empty');
  const hash = asText(values[1], 'sha256');
  if (hash !== '' && hash.length !== HASH_DIGITS) throw new ShapeError('sha256 is not a hash');
  for (let cell = FIRST_NUMBER; cell < EXTRAS; cell += 1) {
    const value = values[cell];
    if (cell === TITLE && typeof value === 'string') continue;
    asNumber(value, cellNames[cell] ?? 'a cell');
  }
  for (let cell = TITLE + 1; cell < EXTRAS; cell += 1) {
    if (!isTimeCode(values[cell] as number)) throw new ShapeError(`${cellNames[cell]} is not a time`);
  }
  const title = values[TITLE];
  if (typeof title === 'number' && title !== titleCodes.none && title !== titleCodes.stem) {
    throw new ShapeError('title is not valid');
  }
  if (values.length > EXTRAS) asShape(extrasSchema, values[EXTRAS], 'a record');
  return values as unknown as Cells;
}

/** The file name without its extension. */
function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? name : name.slice(0, dot);
}

function plainAttachment({ name, sha256, stamp }: RecordedAttachment): RecordedAttachment {
  const { size, mtimeMs, ctimeMs, birthtimeMs, ino, dev } = stamp;
  return { name, sha256, stamp: { size, mtimeMs, ctimeMs, birthtimeMs, ino, dev } };
}
