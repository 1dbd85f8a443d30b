import * as z from 'zod';

import {
  companyIdentifiers,
  elementOperations,
  saliences,
  shareModes,
  tagVisibilities,
} from '../../model/metadata/metadata.ts';
import type { Company, CustomTag, DocumentAuthor, Metadata } from '../../model/metadata/metadata.ts';

const text = z.string().min(1);

const companyShape = {
  value: text,
  identifier: z.enum(companyIdentifiers).optional(),
  salience: z.enum(saliences).optional(),
};
const tagShape = { name: text, visibility: z.enum(tagVisibilities).optional() };
const authorShape = { authorName: text };
const operation = z.enum(elementOperations).optional();

/** Interface 2.4. */
const companies = z.array(z.strictObject({ ...companyShape, operation }));
/** Interface 2.5. */
const customTags = z.array(z.strictObject({ ...tagShape, operation }));
/** Interface 2.6. */
const shareInfo = z.strictObject({ mode: z.enum(shareModes).optional() });

const scalarShape = {
  title: z.string().optional(),
  documentOwner: text.optional(),
  sourceType: z.string().optional(),
  documentUrl: z.string().optional(),
};

const modifyShape = {
  ...scalarShape,
  companies: companies.optional(),
  customTags: customTags.optional(),
  shareInfo: shareInfo.optional(),
  docAuthors: z.array(z.strictObject({ ...authorShape, operation: z.literal('ADD').optional() })).optional(),
};

const createdTimestamp = z
  .string()
  .refine(isTimestamp, 'must have the shape yyyy-mm-ddThh:mm:ssZ and be a real moment')
  .optional();

/** Interface 2.2: the metadata of an upload. An unknown field is refused. */
export const uploadMetadataSchema = z.strictObject({ ...modifyShape, createdTimestamp });

/** Interface 2.3: the metadata of a modify. */
export const modifyMetadataSchema = z.strictObject(modifyShape);

const docIds = z.array(text).min(1).max(250);

/** Interface 2.8. */
export const bulkModifySchema = z.strictObject({
  docIds,
  companies: companies.optional(),
  customTags: customTags.optional(),
  shareInfo: shareInfo.optional(),
  documentOwner: text.optional(),
  sourceType: z.string().optional(),
});

/** Interface 2.9. */
export const bulkDeleteSchema = z.strictObject({ docIds, documentOwner: text.optional() });

/** What the service keeps: elements without operations. */
export const storedMetadataSchema = z.strictObject({
  ...scalarShape,
  createdTimestamp: z.string().optional(),
  companies: z.array(z.strictObject(companyShape)).optional(),
  customTags: z.array(z.strictObject(tagShape)).optional(),
  shareInfo: shareInfo.optional(),
  docAuthors: z.array(z.strictObject(authorShape)).optional(),
});

export type MetadataChange = z.infer<typeof uploadMetadataSchema>;

function isTimestamp(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) return false;
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value.replace('Z', '.000Z');
}

/**
 * What holds after `change`, interface 2.2 to 2.7: scalars replace, companies and tags follow ADD and DELETE in
 * their order, authors are added. No operation means ADD. An empty shareInfo means DEFAULT. With warnings about what could
 * not be done.
 */
export function applyMetadata(current: Metadata, change: MetadataChange) {
  const warnings: string[] = [];
  const { companies, customTags, docAuthors, shareInfo, ...scalars } = change;
  const metadata: Metadata = {
    ...current,
    ...scalars,
    ...(shareInfo && { shareInfo: { mode: shareInfo.mode ?? 'DEFAULT' } }),
    ...(companies && {
      companies: applyElements<Company>(current.companies ?? [], companies, {
        keyOf: (company) => JSON.stringify([company.identifier ?? null, company.value]),
        onMissing: (company) => warnings.push(`company ${company.value} was not there to be deleted`),
      }),
    }),
    ...(customTags && {
      customTags: applyElements<CustomTag>(current.customTags ?? [], customTags, {
        keyOf: (tag) => JSON.stringify([tag.visibility ?? null, tag.name]),
        onMissing: (tag) => warnings.push(`tag ${tag.name} was not there to be deleted`),
      }),
    }),
    ...(docAuthors && {
      docAuthors: applyElements<DocumentAuthor>(current.docAuthors ?? [], docAuthors, {
        keyOf: (author) => author.authorName,
        onMissing: () => {},
      }),
    }),
  };
  return { metadata, warnings };
}

/** An element that is added again replaces the one with the same key. */
function applyElements<T extends object>(
  current: readonly T[],
  changes: readonly (T & { readonly operation?: 'ADD' | 'DELETE' | undefined })[],
  { keyOf, onMissing }: { readonly keyOf: (element: T) => string; readonly onMissing: (element: T) => void },
): readonly T[] {
  const elements = new Map(current.map((element) => [keyOf(element), element]));
  for (const { operation = 'ADD', ...rest } of changes) {
    const element = rest as unknown as T;
    if (operation === 'ADD') elements.set(keyOf(element), element);
    else if (!elements.delete(keyOf(element))) onMissing(element);
  }
  return [...elements.values()];
}
