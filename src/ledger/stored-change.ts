import { nameOf } from '../model/document.ts';
import type { DocumentRef } from '../model/document.ts';
import { IngestdError, errorMessage, exitCodes } from '../model/errors.ts';
import type { Change } from '../model/ports/ledger-port.ts';
import { cellsOf, checkCells } from './record-cells.ts';
import type { Cells } from './record-cells.ts';
import { asList, asShape, asText, ShapeError } from './shape.ts';
import { sideChangeSchema } from './side-change-schema.ts';
import { metadataSchema } from './metadata-schema.ts';
import { isValidRef } from './valid-ref.ts';

/** A change of anything but the records. */
export type SideChange = Exclude<Change, { readonly kind: 'put' | 'drop' }>;

/** A record in the form in which journal and memory take it. */
export interface StoredRecord {
  readonly kind: 'put';
  readonly ref: DocumentRef;
  readonly context: string;
  /** JSON of the metadata but title and createdTimestamp. */
  readonly shared: string;
  readonly cells: Cells;
}

/** A change in the form in which journal and memory take it. */
export type StoredChange = StoredRecord | Extract<Change, { readonly kind: 'drop' }> | SideChange;

/** Says whether a text is JSON of metadata that was checked before. */
export type KnowsShared = (text: string) => boolean;

const PUT_HEAD = 5;

/**
 * A change, checked and detached from what the caller holds. Nothing gets into the journal that could not be
 * read back: what is not of the right shape is an IngestdError `bad-change`.
 */
export function toStored(change: Change, knows: KnowsShared): StoredChange {
  try {
    return change.kind === 'put' ? putToStored(change, knows) : readSide(change);
  } catch (error) {
    throw new IngestdError(
      'bad-change',
      exitCodes.unforeseen,
      `the ledger was given a bad change: ${errorMessage(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** JSON of a change. A put is `["put", folder, path, context, shared, ...cells]`, others are as in the port. */
export function storedToJson(change: StoredChange): string {
  if (change.kind !== 'put') return JSON.stringify(change);
  const { ref, context, shared, cells } = change;
  const head = JSON.stringify(['put', ref.folder, ref.path, context]);
  return `${head.slice(0, -1)},${shared},${JSON.stringify(cells).slice(1)}`;
}

/** A change as it was read, or a ShapeError. References are not judged: see `isValidRef`. */
export function jsonToStored(value: unknown, knows: KnowsShared): StoredChange {
  if (!Array.isArray(value)) return asShape(sideChangeSchema, value, 'a change');
  const row = asList(value, 'a change');
  if (row[0] !== 'put') throw new ShapeError('a change of an unknown kind');
  const ref = { folder: asText(row[1], 'folder'), path: asText(row[2], 'path') };
  return {
    kind: 'put',
    ref,
    context: asText(row[3], 'context'),
    shared: checkShared(row[4], knows),
    cells: checkCells(row.slice(PUT_HEAD)),
  };
}

/** JSON of metadata that a schema has read, or a ShapeError. */
export function checkShared(value: unknown, knows: KnowsShared): string {
  const text = JSON.stringify(value) ?? '';
  if (!knows(text)) asShape(metadataSchema, value, 'metadata');
  return text;
}

function putToStored({ ref, record }: Extract<Change, { kind: 'put' }>, knows: KnowsShared): StoredRecord {
  checkRef(ref);
  const { title: _title, createdTimestamp: _created, ...rest } = record.metadata;
  const shared = JSON.stringify(rest);
  if (!knows(shared)) checkShared(JSON.parse(shared), knows);
  return {
    kind: 'put',
    ref: { folder: ref.folder, path: ref.path },
    context: asText(record.context, 'context'),
    shared,
    cells: checkCells(cellsOf(record, nameOf(ref.path))),
  };
}

function readSide(change: Exclude<Change, { kind: 'put' }>): StoredChange {
  if ('ref' in change) checkRef(change.ref);
  return asShape(sideChangeSchema, change, change.kind);
}

function checkRef(ref: DocumentRef): void {
  if (!isValidRef(ref)) throw new ShapeError(`${JSON.stringify(ref)} is no path inside a folder`);
}
