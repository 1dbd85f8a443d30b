import * as z from 'zod';

import type { Companions } from '../../model/document.ts';
import { metadataFields } from '../../model/metadata/metadata.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';
import { attachmentSchema, heldModeSchema, unsureSchema } from '../../model/ports/change-schema.ts';

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
  possibleDuplicates: z.int().nonnegative().optional(),
  heldModes: z.array(heldModeSchema).optional(),
  rootChange: z.int().nonnegative().optional(),
});

export type Rare = z.infer<typeof rareSchema>;
