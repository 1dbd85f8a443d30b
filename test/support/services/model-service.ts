import type { Company, CustomTag, Metadata } from '../../../src/model/metadata/metadata.ts';

/** What the simplest service that applies operations in order would hold of one document's metadata. */
export interface HeldMetadata {
  readonly companies: ReadonlyMap<string, string>;
  readonly tags: ReadonlySet<string>;
  readonly authors: ReadonlySet<string>;
  readonly fields: ReadonlyMap<string, string>;
}

export const holdsNothing: HeldMetadata = {
  companies: new Map(),
  tags: new Set(),
  authors: new Set(),
  fields: new Map(),
};

/** Applies one metadata part in order: an element without operation is an ADD, an ADD of what is held is ignored. */
export function applyMetadata(before: HeldMetadata, sent: Metadata): HeldMetadata {
  const companies = new Map(before.companies);
  const tags = new Set(before.tags);
  for (const company of sent.companies ?? []) {
    const key = companyKey(company);
    if (company.operation === 'DELETE') companies.delete(key);
    else if (!companies.has(key)) companies.set(key, company.salience ?? 'none');
  }
  for (const tag of sent.customTags ?? []) {
    if (tag.operation === 'DELETE') tags.delete(tagKey(tag));
    else tags.add(tagKey(tag));
  }
  const authors = new Set([
    ...before.authors,
    ...(sent.docAuthors ?? []).map(({ authorName }) => authorName),
  ]);
  const fields = new Map(before.fields);
  for (const field of ['title', 'documentOwner', 'sourceType', 'documentUrl', 'createdTimestamp'] as const) {
    const value = sent[field];
    if (value !== undefined) fields.set(field, value);
  }
  if (sent.shareInfo !== undefined) fields.set('shareInfo', sent.shareInfo.mode ?? 'DEFAULT');
  return { companies, tags, authors, fields };
}

export function companyKey({ identifier, value }: Company): string {
  return `${identifier ?? '-'} ${value}`;
}

export function tagKey({ name, visibility }: CustomTag): string {
  return `${visibility ?? '-'} ${name}`;
}
