import * as z from 'zod';

import {
  companyIdentifiers,
  elementOperations,
  saliences,
  shareModes,
  tagVisibilities,
} from '../../model/metadata/metadata.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';

const fields = {
  title: z.string().optional(),
  companies: z
    .array(
      z.strictObject({
        value: z.string(),
        operation: z.enum(elementOperations).optional(),
        identifier: z.enum(companyIdentifiers).optional(),
        salience: z.enum(saliences).optional(),
      }),
    )
    .optional(),
  customTags: z
    .array(
      z.strictObject({
        name: z.string(),
        operation: z.enum(elementOperations).optional(),
        visibility: z.enum(tagVisibilities).optional(),
      }),
    )
    .optional(),
  shareInfo: z.strictObject({ mode: z.enum(shareModes).optional() }).optional(),
  docAuthors: z
    .array(z.strictObject({ authorName: z.string(), operation: z.literal('ADD').optional() }))
    .optional(),
  documentOwner: z.string().optional(),
  createdTimestamp: z.string().optional(),
  sourceType: z.string().optional(),
  documentUrl: z.string().optional(),
};

/** Metadata as the ledger keeps it, interface 2.2. A key that this version does not know is kept as it stands. */
export const metadataSchema: z.ZodType<Metadata> = z.looseObject(fields);

/** Metadata as a person hands it in. A key that is not of interface 2.2 is an error. */
export const strictMetadataSchema: z.ZodType<Metadata> = z.strictObject(fields);
