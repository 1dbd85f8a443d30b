import * as z from 'zod';

import { metadataSchema, modeOf } from '../../model/metadata/metadata.ts';
import type { Company, CustomTag, DocumentAuthor, Metadata } from '../../model/metadata/metadata.ts';

/** Interface 2.2: the metadata of an upload, and what the service keeps. An unknown field is refused. */
export const uploadMetadataSchema = metadataSchema.extend({ documentUrl: z.string().optional() });

/** Interface 2.3: the metadata of a modify. */
export const modifyMetadataSchema = uploadMetadataSchema.omit({ createdTimestamp: true });

const docIds = z.array(z.string().min(1)).min(1).max(250);

/** Interface 2.8. */
export const bulkModifySchema = modifyMetadataSchema
  .omit({ title: true, docAuthors: true, documentUrl: true })
  .extend({ docIds });

/** Interface 2.9. */
export const bulkDeleteSchema = z.strictObject({ docIds, documentOwner: z.string().min(1).optional() });

/**
 * What holds after `change`, interface 2.2 to 2.7: scalars replace, companies and tags follow ADD and DELETE in
 * their order, authors are added. No operation means ADD. An empty shareInfo means DEFAULT. With warnings about what
 * could not be done.
 */
export function applyMetadata(current: Metadata, change: z.infer<typeof uploadMetadataSchema>) {
  const warnings: string[] = [];
  const { companies, customTags, docAuthors, shareInfo, ...scalars } = change;
  const metadata: Metadata = {
    ...current,
    ...scalars,
    ...(shareInfo && { shareInfo: { mode: modeOf({ shareInfo }) } }),
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
