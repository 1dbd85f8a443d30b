import * as z from 'zod';

import type { Companions, FileStat } from '../../model/document.ts';
import { metadataFields, shareModes } from '../../model/metadata/metadata.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';
import type { Carried } from '../../model/ports/ledger-port.ts';

/** A SHA-256 in hex; empty: not known. */
export const hashPattern = /^(?:[0-9a-f]{64})?$/;

/** What `lstat` said of a file. */
export const statSchema: z.ZodType<FileStat> = z.object({
  size: z.number(),
  mtimeMs: z.number(),
  ctimeMs: z.number(),
  birthtimeMs: z.number(),
  ino: z.number(),
  dev: z.number(),
});

/** Metadata as the ledger keeps it, interface 2.2. A key that this version does not know is kept as it stands. */
export const metadataSchema: z.ZodType<Metadata> = z.looseObject(metadataFields(z.string()));

/** Metadata as a person hands it in. A key that is not of interface 2.2 is an error. */
export const strictMetadataSchema: z.ZodType<Metadata> = z.strictObject(metadataFields(z.string()));

/** What an upload carried. */
export const carriedSchema: z.ZodType<Carried> = z.object({
  metadata: metadataSchema,
  attachments: z.boolean(),
});

/** An attachment as it was sent last. */
export const attachmentSchema = z.strictObject({
  name: z.string(),
  sha256: z.string().regex(hashPattern),
  path: z.string().optional(),
  folder: z.string().optional(),
  stat: statSchema,
});

export const companionsSchema: z.ZodType<Companions> = z.strictObject({
  sidecar: z.enum(['name', 'stem']).nullable(),
  defaults: z.array(z.string()),
});

/** A sharing mode that goes with a record, or with a file. */
export const heldModeSchema = z.strictObject({
  folder: z.string(),
  path: z.string(),
  mode: z.enum(shareModes),
  by: z.string().nullable(),
  under: z.strictObject({ folder: z.string() }).optional(),
  isAttachment: z.literal(true).optional(),
  file: statSchema.optional(),
});

/** What few records have. */
export const rareSchema = z.strictObject({
  /** The one that went out last, where it is not that of the file. */
  fileName: z.string().optional(),
  attachments: z.array(attachmentSchema).optional(),
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
  heldModes: z.array(heldModeSchema).optional(),
  rootChange: z.int().nonnegative().optional(),
});

export type Rare = z.infer<typeof rareSchema>;
