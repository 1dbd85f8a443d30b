import * as z from 'zod';

import {
  companyIdentifiers,
  elementOperations,
  saliences,
  shareModes,
  tagVisibilities,
} from '../../model/metadata/metadata.ts';

const maxBulkDocuments = 250;

const company = z.strictObject({
  value: z.string(),
  operation: z.enum(elementOperations).optional(),
  identifier: z.enum(companyIdentifiers).optional(),
  salience: z.enum(saliences).optional(),
});

const customTag = z.strictObject({
  name: z.string(),
  operation: z.enum(elementOperations).optional(),
  visibility: z.enum(tagVisibilities).optional(),
});

const shareInfo = z.strictObject({ mode: z.enum(shareModes).optional() });

/** Loose: the interface has fields of an author beyond these two and does not show them. */
const docAuthor = z.looseObject({ authorName: z.string(), operation: z.literal('ADD').optional() });

/** Interface 2.3: what goes out with a modify. */
export const modifyMetadata = z.strictObject({
  title: z.string().optional(),
  companies: z.array(company).optional(),
  customTags: z.array(customTag).optional(),
  shareInfo: shareInfo.optional(),
  docAuthors: z.array(docAuthor).optional(),
  documentOwner: z.string().optional(),
  sourceType: z.string().optional(),
  documentUrl: z.string().optional(),
});

/** Interface 2.2: what goes out with an upload. */
export const uploadMetadata = modifyMetadata.extend({
  createdTimestamp: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'must have the form yyyy-mm-ddThh:mm:ssZ')
    .optional(),
});

const docIds = z.array(z.string().min(1)).min(1).max(maxBulkDocuments);

/** Interface 2.8. */
export const bulkModify = z.strictObject({
  docIds,
  companies: z.array(company).optional(),
  customTags: z.array(customTag).optional(),
  shareInfo: shareInfo.optional(),
  documentOwner: z.string().optional(),
  sourceType: z.string().optional(),
});

/** Interface 2.9. */
export const bulkRemove = z.strictObject({ docIds, documentOwner: z.string().optional() });

/**
 * Interface 2.1. `expires_in` is left open: services were seen to send it as text, as zero and not at all, and
 * a token without it is still a token.
 */
export const tokenResponse = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  token_type: z.string().nullish(),
  expires_in: z.unknown().optional(),
});

const envelopeMember = z
  .looseObject({ docId: z.string().nullish(), message: z.string().nullish() })
  .nullish();

/** Interface 2.10, which does not say what a member is that does not apply: absent, null or an empty object here. */
export const envelope = z
  .looseObject({ error: envelopeMember, success: envelopeMember, warning: envelopeMember })
  .refine((value) => Boolean(value.error ?? value.success ?? value.warning), 'has none of the three members');

export type Envelope = z.infer<typeof envelope>;

const longestDocId = 200;

/**
 * Says whether an identifier can be kept and put into a path: 1 to 200 characters, no control characters, no
 * slashes, not dots only. What comes from the service ends in the address of a DELETE.
 */
export function isUsableDocId(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > longestDocId) return false;
  return !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}/\\]|^\.+$|^\s|\s$/u.test(value);
}
