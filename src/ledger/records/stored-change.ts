import { isValidRef } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { errorMessage, exitCodes, IngestdError } from '../../model/errors.ts';
import { plainChangeSchema } from '../../model/ports/ledger-schema.ts';
import type { Change } from '../../model/ports/ledger-port.ts';
import { asObject, asShape, asText, ShapeError } from './shape.ts';
import type { SharedValues } from './shared-values.ts';
import { fromRecord, ownName, readRecord, recordJson } from './stored-record.ts';
import type { StoredRecord } from './stored-record.ts';

/** A change of anything but the records and their directories. */
export type SideChange = Exclude<Change, { readonly kind: 'put' | 'drop' | 'directory' }>;

/** A change in the form in which journal and memory take it: all but a record is as the port has it. */
export type StoredChange =
  | { readonly kind: 'put'; readonly ref: DocumentRef; readonly record: StoredRecord }
  | Exclude<Change, { readonly kind: 'put' }>;

/**
 * A change, checked and detached from what the caller holds. Nothing gets into the journal that could not be
 * read back: what is not of the right shape is an IngestdError `bad-change`.
 */
export function toStored(change: Change, shared: SharedValues): StoredChange {
  try {
    if ('ref' in change && !isValidRef(change.ref))
      throw new ShapeError(`${JSON.stringify(change.ref)} is not a path inside a folder`);
    if (change.kind !== 'put') return asShape(plainChangeSchema, change, change.kind);
    const { folder, path } = change.ref;
    return { kind: 'put', ref: { folder, path }, record: fromRecord(change.record, path, shared) };
  } catch (error) {
    const words = `the ledger was given a bad change: ${errorMessage(error)}`;
    throw new IngestdError('bad-change', exitCodes.unforeseen, words, { cause: error });
  }
}

/** JSON of a change. */
export function changeJson(change: StoredChange): string {
  if (change.kind !== 'put') return JSON.stringify(change);
  const { kind, ref, record } = change;
  return recordJson(record, { kind, folder: ref.folder, path: ref.path }, record);
}

/** A change as it was read, or a ShapeError. References are not judged: see `isValidRef`. */
export function readChange(value: unknown, shared: SharedValues): StoredChange {
  const fields = asObject(value, 'a change');
  if (fields['kind'] !== 'put') return asShape(plainChangeSchema, value, 'a change');
  const ref = { folder: asText(fields['folder'], 'folder'), path: asText(fields['path'], 'path') };
  return { kind: 'put', ref, record: readRecord(fields, ownName(ref.path), shared) };
}
