import * as z from 'zod';

import type { Companions, FileStat } from '../../model/document.ts';
import { metadataFields } from '../../model/metadata/metadata.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';
import {
  attachmentSchema,
  heldModeSchema,
  statSchema,
  unsureSchema,
} from '../../model/ports/change-schema.ts';

/** Metadata as a person hands it in. A key that is not of interface 2.2 is an error. */
export const strictMetadataSchema: z.ZodType<Metadata> = z.strictObject(metadataFields(z.string()));

export const companionsSchema: z.ZodType<Companions> = z.strictObject({
  sidecar: z.enum(['name', 'stem']).nullable(),
  defaults: z.array(z.string()),
});

/** What few records have. */
export const rareSchema = z.strictObject({
  /** The one that went out last, where it is not that of the file. */
  fileName: z.string().optional(),
  attachments: z.array(attachmentSchema).optional(),
  said: z.array(z.string()).optional(),
  unsure: unsureSchema.optional(),
  standing: statSchema.optional(),
  possibleDuplicates: z.int().nonnegative().optional(),
  heldModes: z.array(heldModeSchema).optional(),
  rootChange: z.int().nonnegative().optional(),
});

export type Rare = z.infer<typeof rareSchema>;

/** A time in UTC: milliseconds where the text can be made from them again, else the text as it came. */
export type StoredTime = number | string;

/**
 * A record in the ledger's files. The snapshot gives `name`, and numbers for `fingerprint` and `metadata`, whose lines
 * come before; the journal gives `folder` and `path`, and the values themselves. What has its usual value is left out:
 * no `title` is the file name without its extension, no `fileName` is that of the file.
 *
 *     {"name":"report.pdf","docId":"…","sha256":"…","stat":{"size":1,"mtimeMs":1760000000000.25,"ctimeMs":…,
 *      "birthtimeMs":…,"ino":4711,"dev":65025},"fingerprint":0,"metadata":0,"createdTimestamp":1760000000000,
 *      "uploadedAt":1767225600000}
 *
 * Times are milliseconds since 1970, or the text where it is not that of a whole second (`createdTimestamp`) or
 * millisecond (the others).
 */
export interface RecordFields extends Rare {
  readonly docId: string;
  /** 64 digits in lower case. Empty: not known. */
  readonly sha256: string;
  readonly stat: FileStat;
  readonly fingerprint: string | number;
  readonly metadata: Metadata | number;
  /** Undefined: the file name without its extension. Null: the metadata has none. */
  readonly title?: string | null | undefined;
  readonly createdTimestamp?: StoredTime | undefined;
  readonly uploadedAt: StoredTime;
  readonly modifiedAt?: StoredTime | undefined;
  readonly companions?: Companions | undefined;
}
