import type { Company, CustomTag, DocumentAuthor, Metadata } from '../../model/metadata/metadata.ts';
import type { MetadataChange } from './metadata-schemas.ts';

/** Metadata after a change, and what of the change could not be done. */
export interface AppliedMetadata {
  readonly metadata: Metadata;
  readonly warnings: readonly string[];
}

type Operated<T> = T & { readonly operation?: 'ADD' | 'DELETE' | undefined };

/**
 * What holds after `change`, interface 2.2 to 2.7: scalars replace, companies and tags follow ADD and DELETE in
 * their order, authors are added. No operation means ADD. An empty shareInfo means DEFAULT.
 */
export function applyMetadata(current: Metadata, change: MetadataChange): AppliedMetadata {
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

/** An element that is added again takes the place of its namesake. */
function applyElements<T extends object>(
  current: readonly T[],
  changes: readonly Operated<T>[],
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
