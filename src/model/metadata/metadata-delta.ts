import { byIdentity, companyKind, elementDelta, isDelete, tagKind } from './element-delta.ts';
import type { ElementKind } from './element-delta.ts';
import type { DocumentAuthor, ElementOperation, Metadata, ShareInfo } from './metadata.ts';
import type { MetadataDelta, Unclearable } from '../operation.ts';
import { printable } from '../../lib/text/printable.ts';

/** Fields that hold one text and can be replaced, never taken back. createdTimestamp goes out with an upload only. */
const replaceable = ['title', 'documentOwner', 'sourceType', 'documentUrl'] as const;

const fieldWords = {
  title: 'title',
  documentOwner: 'owner',
  sourceType: 'source type',
  documentUrl: 'document URL',
  shareInfo: 'sharing mode',
} as const;

/**
 * The metadata of an upload, interface 2.2: `send` with each operation spelt out, an element that states its own
 * as it stands; `accepted` is what the service then holds.
 */
export function uploadMetadata(wanted: Metadata): { readonly send: Metadata; readonly accepted: Metadata } {
  const companies = [...byIdentity(wanted.companies ?? [], companyKind).values()];
  const customTags = [...byIdentity(wanted.customTags ?? [], tagKind).values()];
  const docAuthors = authorsOf(wanted);
  const texts = textsOf(wanted);
  const { createdTimestamp } = wanted;
  return {
    send: compact(texts, {
      createdTimestamp,
      companies: companies.map(spellOut),
      customTags: customTags.map(spellOut),
      shareInfo: wanted.shareInfo,
      docAuthors: docAuthors.map(spellOut),
    }),
    accepted: compact(texts, {
      createdTimestamp,
      companies,
      customTags,
      shareInfo: shareInfoOf(wanted),
      docAuthors,
    }),
  };
}

/**
 * Works out what leads from `accepted` to `wanted`, interface 2.3: only what changes, and what cannot be taken
 * back. `said` holds codes of the latter that are not to be reported again. Once `change` is accepted, the same
 * `wanted` gives no change any more. A createdTimestamp that differs is no difference: nothing could send it (`planDocument` says so).
 */
export function metadataDelta(
  wanted: Metadata,
  accepted: Metadata,
  said: readonly string[] = [],
): MetadataDelta {
  const companies = elementDelta(wanted.companies ?? [], accepted.companies ?? [], companyKind);
  const customTags = elementDelta(wanted.customTags ?? [], accepted.customTags ?? [], tagKind);
  const authors = authorsOf(wanted);
  const knownAuthors = authorsOf(accepted);
  const newAuthors = without(authors, knownAuthors);
  const shareInfo = shareInfoOf(wanted);
  const knownShareInfo = shareInfoOf(accepted);

  const change = compact(changedTexts(wanted, accepted), {
    companies: companies.operations,
    customTags: customTags.operations,
    shareInfo: shareInfo?.mode === knownShareInfo?.mode ? undefined : wanted.shareInfo,
    docAuthors: newAuthors.map(spellOut),
  });
  return {
    change: Object.keys(change).length === 0 ? null : change,
    accepted: compact(textsOf(accepted), textsOf(wanted), {
      createdTimestamp: accepted.createdTimestamp,
      companies: companies.accepted,
      customTags: customTags.accepted,
      shareInfo: shareInfo ?? knownShareInfo,
      docAuthors: [...knownAuthors, ...newAuthors],
    }),
    unclearable: [...lostFields(wanted, accepted), ...without(knownAuthors, authors).map(lostAuthor)].filter(
      ({ code }) => !said.includes(code),
    ),
  };
}

function spellOut<T extends { readonly operation?: ElementOperation | undefined }>(element: T): T {
  return isDelete(element) ? element : { ...element, operation: 'ADD' };
}

function textsOf(metadata: Metadata): Pick<Metadata, (typeof replaceable)[number]> {
  return Object.fromEntries(replaceable.map((field) => [field, metadata[field]]));
}

function changedTexts(wanted: Metadata, accepted: Metadata): Pick<Metadata, (typeof replaceable)[number]> {
  const changed = replaceable.filter(
    (field) => wanted[field] !== undefined && wanted[field] !== accepted[field],
  );
  return Object.fromEntries(changed.map((field) => [field, wanted[field]]));
}

/** Interface 2.6: an empty object means mode DEFAULT. */
function shareInfoOf({ shareInfo }: Metadata): Required<ShareInfo> | undefined {
  return shareInfo === undefined ? undefined : { mode: shareInfo.mode ?? 'DEFAULT' };
}

const authorKind: Pick<ElementKind<DocumentAuthor>, 'identity' | 'plain'> = {
  identity: ({ authorName }) => authorName,
  plain: ({ authorName }) => ({ authorName }),
};

function authorsOf({ docAuthors }: Metadata): readonly DocumentAuthor[] {
  return docAuthors === undefined ? [] : [...byIdentity(docAuthors, authorKind).values()];
}

function without(
  authors: readonly DocumentAuthor[],
  others: readonly DocumentAuthor[],
): readonly DocumentAuthor[] {
  if (authors.length === 0) return authors;
  const names = new Set(others.map(({ authorName }) => authorName));
  return authors.filter(({ authorName }) => !names.has(authorName));
}

function lostFields(wanted: Metadata, accepted: Metadata): readonly Unclearable[] {
  const fields = [...replaceable, 'shareInfo'] as const;
  return fields
    .filter((field) => wanted[field] === undefined && accepted[field] !== undefined)
    .map((field) => ({
      code: field,
      message: `the ${fieldWords[field]} stays at the service, which cannot clear it; give another value to replace it`,
    }));
}

function lostAuthor({ authorName }: DocumentAuthor): Unclearable {
  return {
    code: `docAuthors:${authorName}`,
    message: `the author ${printable(authorName)} stays at the service, which cannot remove authors`,
  };
}

/** The fields of all, the last one that states a field counts, without what is undefined and lists that are empty: neither says anything. */
function compact(...parts: readonly Metadata[]): Metadata {
  const fields: Record<string, unknown> = {};
  for (const part of parts) {
    for (const [field, value] of Object.entries(part)) {
      if (value !== undefined && !(Array.isArray(value) && value.length === 0)) fields[field] = value;
    }
  }
  return fields;
}
