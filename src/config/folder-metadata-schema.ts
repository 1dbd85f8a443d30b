import { z } from 'zod';
import {
  companyIdentifiers,
  elementOperations,
  saliences,
  shareModes,
  tagVisibilities,
} from '../core/metadata.ts';

/** temporary until core/metadata-schema.ts exists */
export const folderMetadataSchema = z.strictObject({
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
});
