import * as z from 'zod';

import { isValidRef } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { errorMessage, exitCodes, IngestdError } from '../../model/errors.ts';
import type { Change } from '../../model/ports/ledger-port.ts';
import type { SharedValues } from '../records/shared-values.ts';
import { ownName } from '../records/stored-record.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import { fromPort, readRecord, recordJson, sharedOf } from './record-format.ts';
import { carriedSchema, heldModeSchema, statSchema } from './record-schemas.ts';
import { asObject, asShape, asText, ShapeError } from './shape.ts';

/** A change of anything but the records and their directories. */
export type SideChange = Exclude<Change, { readonly kind: 'put' | 'drop' | 'directory' }>;

/** A change that files hold as the port has it. */
type PlainChange = Exclude<Change, { readonly kind: 'put' }>;

/** A record that is put somewhere, in the form in which journal and memory take it. */
interface StoredPut {
  readonly kind: 'put';
  readonly ref: DocumentRef;
  readonly record: StoredRecord;
}

/** A change in the form in which journal and memory take it. */
export type StoredChange = StoredPut | PlainChange;

const ref = z.object({ folder: z.string(), path: z.string() });
const folder = z.string();
const paths = z.array(z.string());
const at = z.number();
const id = z.string();

const attempt = z.object({ at, operation: z.string(), code: z.string(), message: z.string() });
const carried = carriedSchema.optional();
const doubt = z.object({
  id,
  ref,
  stat: statSchema.optional(),
  carried,
  count: z.number(),
  since: z.number(),
  message: z.string(),
  holds: z.boolean(),
  dismissed: z.literal(true).optional(),
});

const bootMomentSchema = z.object({ bootId: z.string(), ms: z.number() });

/** Which file or directory something was. */
const identitySchema = z.object({ ino: z.number(), birthtimeMs: z.number(), dev: z.number() });

const failure = z.object({
  code: z.string(),
  message: z.string(),
  attempts: z.number(),
  history: z.array(attempt),
  rootChange: z.number().optional(),
  stat: statSchema,
  fingerprint: z.string(),
});

/** Every change but a put as files hold it: the objects of the port. */
export const plainChangeSchema: z.ZodType<PlainChange> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('drop'), ref }),
  z.object({
    kind: z.literal('intent'),
    intent: z.object({ id, ref, size: z.number(), stat: statSchema.optional(), carried, at }),
  }),
  z.object({ kind: z.literal('resolve'), id }),
  z.object({ kind: z.literal('doubt'), doubt }),
  z.object({ kind: z.literal('dismiss'), id }),
  z.object({ kind: z.literal('fail'), ref, failure }),
  z.object({ kind: z.literal('clear'), ref }),
  z.object({
    kind: z.literal('hold'),
    folder,
    hold: z
      .object({
        since: z.number(),
        reason: z.string(),
        documents: z.number().optional(),
        hiddenIn: z.strictObject({ folder: z.string(), path: z.string() }).optional(),
      })
      .nullable(),
  }),
  z.object({ kind: z.literal('approve'), folder, paths, keeps: z.literal(true).optional() }),
  z.object({ kind: z.literal('unapprove'), folder, paths }),
  z.object({
    kind: z.literal('removed'),
    folder,
    removal: z.object({ at, sinceBoot: bootMomentSchema.optional(), count: z.number() }),
  }),
  z.object({
    kind: z.literal('root'),
    folder,
    identity: z.object({
      path: z.string(),
      dev: z.number(),
      ino: z.number(),
      birthtimeMs: z.number().optional(),
      seenAt: z.number().optional(),
      changes: z.number().optional(),
      keeps: z.literal(true).optional(),
    }),
  }),
  z.object({
    kind: z.literal('mounts'),
    folder,
    mounts: paths,
    identities: z.array(identitySchema.extend({ path: z.string() })).optional(),
    bare: z.array(z.object({ path: z.string(), until: z.number().nullable() })).optional(),
  }),
  z.object({
    kind: z.literal('directory'),
    folder,
    path: z.string(),
    identity: identitySchema.nullable(),
  }),
  z.object({ kind: z.literal('former'), held: heldModeSchema.extend({ file: statSchema }) }),
  z.object({ kind: z.literal('service'), service: z.string() }),
  z.object({ kind: z.literal('sent'), id, at }),
  z.object({ kind: z.literal('answered'), id, at, sinceBoot: bootMomentSchema.optional() }),
]);

/**
 * A change, checked and detached from what the caller holds. Nothing gets into the journal that could not be
 * read back: what is not of the right shape is an IngestdError `bad-change`.
 */
export function toStored(change: Change, shared: SharedValues): StoredChange {
  try {
    if ('ref' in change) checkRef(change.ref);
    if (change.kind !== 'put') return asShape(plainChangeSchema, change, change.kind);
    const { folder, path } = change.ref;
    return { kind: 'put', ref: { folder, path }, record: fromPort(change.record, path, shared) };
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
  const record = readRecord(fields, { name: ownName(ref.path), ...sharedOf(fields, shared), shared });
  return { kind: 'put', ref, record };
}

function checkRef(ref: DocumentRef): void {
  if (!isValidRef(ref)) throw new ShapeError(`${JSON.stringify(ref)} is not a path inside a folder`);
}
