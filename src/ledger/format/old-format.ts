import * as z from 'zod';

import type { Metadata } from '../../model/metadata/metadata.ts';
import type { SharedValues } from '../records/shared-values.ts';
import { isDate, ownName } from '../records/stored-record.ts';
import type { StoredRecord, StoredTime } from '../records/stored-record.ts';
import type { DataFiller } from '../records/ledger-data.ts';
import { changeSchema, failureFields } from './change-format.ts';
import type { StoredChange } from './change-format.ts';
import { checkMetadata, readRecord } from './record-format.ts';
import type { Surroundings } from './record-format.ts';
import { statSchema } from './record-schemas.ts';
import { asList, asNumber, asObject, asShape, asText, ShapeError } from './shape.ts';

/** Lines of a snapshot of version 1 or 2, by their first cell. */
const lineTags = { record: 0, fingerprint: 1, metadata: 2, directory: 3 } as const;

/** What a title is that is a number. */
const noTitle = 0;
const titleIsStem = 1;

const recordHead = 4;
const putHead = 5;
const cellCount = 12;

const failureSchema = z
  .object({ ...failureFields, stamp: statSchema, context: z.string() })
  .transform(({ stamp, context, ...rest }) => ({ ...rest, stat: stamp, fingerprint: context }));
const sideChangeSchema = changeSchema(failureSchema);

/**
 * Reads the lines of a snapshot of version 1 or 2, which held arrays without names:
 *
 *     [1,0,"fingerprint"]  [2,0,{"documentOwner":"jane"}]  [3,"inbox","reports/2026"]
 *     [0,"report.pdf",0,0, ...cells]
 */
export function createOldLineReader(filler: DataFiller): (line: unknown) => void {
  const { shared } = filler;
  const fingerprints = new Map<number, string>();
  const metadata = new Map<number, Metadata>();
  let place: { readonly folder: string; readonly directory: string } | null = null;

  function record(row: readonly unknown[]): void {
    const name = asText(row[1], 'name');
    const fingerprint = fingerprints.get(asNumber(row[2], 'fingerprint'));
    const values = metadata.get(asNumber(row[3], 'metadata'));
    if (place === null || fingerprint === undefined || values === undefined) {
      throw new ShapeError('a record comes before something it refers to');
    }
    const { folder, directory } = place;
    const stored = fromCells(row.slice(recordHead), {
      name,
      fingerprint,
      metadata: values,
      companions: null,
    });
    filler.put(folder, directory, stored);
  }

  return (line) => {
    if (!Array.isArray(line)) {
      filler.change(readOldChange(line, shared));
      return;
    }
    const row = asList(line, 'a line');
    if (row[0] === lineTags.record) record(row);
    else if (row[0] === lineTags.directory) {
      place = { folder: asText(row[1], 'folder'), directory: asText(row[2], 'directory') };
    } else if (row[0] === lineTags.fingerprint) {
      fingerprints.set(asNumber(row[1], 'a fingerprint'), asText(row[2], 'a fingerprint'));
    } else if (row[0] === lineTags.metadata) {
      metadata.set(asNumber(row[1], 'metadata'), shared.metadata(row[2], checkMetadata));
    } else throw new ShapeError('a line of an unknown kind');
  };
}

/** A change of a journal of version 1 or 2. A put was `["put", folder, path, fingerprint, metadata, ...cells]`. */
export function readOldChange(value: unknown, shared: SharedValues): StoredChange {
  if (!Array.isArray(value)) return asShape(sideChangeSchema, value, 'a change');
  const row = asList(value, 'a change');
  if (row[0] !== 'put') throw new ShapeError('a change of an unknown kind');
  const ref = { folder: asText(row[1], 'folder'), path: asText(row[2], 'path') };
  const record = fromCells(row.slice(putHead), {
    name: ownName(ref.path),
    fingerprint: shared.text(asText(row[3], 'fingerprint')),
    metadata: shared.metadata(row[4], checkMetadata),
    companions: null,
  });
  return { kind: 'put', ref, record };
}

/**
 * A record out of cells: docId, SHA-256 as hex, size, mtimeMs, ctimeMs, birthtimeMs, ino, dev, title or its code, codes
 * of createdTimestamp, uploadedAt and modifiedAt (0: none, or in the extras), and extras that few records have.
 */
function fromCells(cells: readonly unknown[], surroundings: Surroundings): StoredRecord {
  if (cells.length !== cellCount && cells.length !== cellCount + 1) {
    throw new ShapeError('a record has missing cells');
  }
  const [docId, sha256, size, mtimeMs, ctimeMs, birthtimeMs, ino, dev, title, created, uploaded, modified] =
    cells;
  const extras = cells.length === cellCount ? {} : asObject(cells[cellCount], 'extras');
  const { uploadedAt, modifiedAt, createdTimestamp, sha256: _odd, attachments, ...others } = extras;
  return readRecord(
    {
      ...others,
      ...(attachments === undefined ? null : { attachments: oldAttachments(attachments) }),
      docId,
      sha256,
      stat: { size, mtimeMs, ctimeMs, birthtimeMs, ino, dev },
      title: titleOf(title),
      createdTimestamp: timeOf(created, 'seconds') ?? createdTimestamp,
      uploadedAt: timeOf(uploaded, 'milliseconds') ?? uploadedAt ?? '',
      modifiedAt: timeOf(modified, 'milliseconds') ?? modifiedAt,
    },
    surroundings,
  );
}

function oldAttachments(value: unknown): readonly object[] {
  return asList(value, 'attachments').map((item) => {
    const { stamp, ...rest } = asObject(item, 'an attachment');
    return { ...rest, stat: stamp };
  });
}

function titleOf(cell: unknown): string | null | undefined {
  if (cell === titleIsStem) return undefined;
  return cell === noTitle ? null : asText(cell, 'title');
}

/**
 * A code was twice the milliseconds, plus one where the text stopped at the seconds. A number where a time of this
 * field usually has that form, else the text; undefined: none.
 */
function timeOf(code: unknown, usually: 'seconds' | 'milliseconds'): StoredTime | undefined {
  const value = asNumber(code, 'a time');
  if (value === 0) return undefined;
  const time = Math.floor(value / 2);
  if (!isDate(time)) throw new ShapeError('a time is not a time');
  const precision = value % 2 === 1 ? 'seconds' : 'milliseconds';
  if (precision === usually) return time;
  const text = new Date(time).toISOString();
  return precision === 'milliseconds' ? text : text.replace('.000Z', 'Z');
}
