import { printable } from '../../lib/text/printable.ts';
import type { MetadataDelta, Unclearable } from '../operation.ts';
import type {
  Company,
  CustomTag,
  DocumentAuthor,
  ElementOperation,
  Metadata,
  ShareInfo,
} from './metadata.ts';
import { modeOf } from './metadata.ts';

/** In words: fields that hold one text and can be replaced, never taken back. */
const textWords = {
  title: 'title',
  documentOwner: 'owner',
  sourceType: 'source type',
  documentUrl: 'document URL',
} as const;
/** The same of all that a modify replaces as a whole. createdTimestamp goes out with an upload only. */
const replacedWords: Readonly<
  Record<Exclude<keyof Metadata, 'companies' | 'customTags' | 'docAuthors' | 'createdTimestamp'>, string>
> = { ...textWords, shareInfo: 'sharing mode' };

const textFields = Object.keys(textWords) as readonly (keyof typeof textWords)[];
/** Fields that a modify replaces as a whole. */
export const replacedFields = Object.keys(replacedWords) as readonly (keyof typeof replacedWords)[];

/**
 * The metadata of an upload, interface 2.2: `send` with each operation spelt out, an element that states its own
 * as it stands; `accepted` is what the service then holds.
 */
export function uploadMetadata(wanted: Metadata): { readonly send: Metadata; readonly accepted: Metadata } {
  const companies = asUploaded(wanted.companies, companyKind);
  const customTags = asUploaded(wanted.customTags, tagKind);
  const docAuthors = asUploaded(wanted.docAuthors, authorKind);
  const texts = textsOf(wanted);
  const { createdTimestamp } = wanted;
  return {
    send: compact(texts, {
      createdTimestamp,
      companies: companies.send,
      customTags: customTags.send,
      shareInfo: wanted.shareInfo,
      docAuthors: docAuthors.send,
    }),
    accepted: compact(texts, {
      createdTimestamp,
      companies: companies.accepted,
      customTags: customTags.accepted,
      shareInfo: shareInfoOf(wanted),
      docAuthors: docAuthors.accepted,
    }),
  };
}

/** Documents have lists in common, which are long at times: of each it is worked out once. */
const uploadedLists = new WeakMap<object, unknown>();

function asUploaded<T extends Stated>(
  list: readonly T[] = [],
  kind: Pick<ElementKind<T>, 'identity' | 'plain'>,
): { readonly send: readonly T[]; readonly accepted: readonly T[] } {
  const known = uploadedLists.get(list) as ReturnType<typeof asUploaded<T>> | undefined;
  if (known !== undefined) return known;
  const accepted = [...byIdentity(list, kind).values()];
  const uploaded = { send: accepted.map(spellOut), accepted };
  uploadedLists.set(list, uploaded);
  return uploaded;
}

/**
 * Works out what leads from `accepted` to `wanted`, interface 2.3: only what changes, and what cannot be taken back.
 * `said` holds codes of the latter that are not to be reported again. Once `change` is accepted, the same `wanted` gives
 * no change any more. A createdTimestamp that differs is no difference: nothing could send it (`planDocument` says so).
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
  const knownShareInfo = shareInfoOf(accepted);
  const unstated = knownShareInfo && { mode: unstatedMode(accepted) };
  const wantedShareInfo = wanted.shareInfo ?? unstated;
  const shareInfo = shareInfoOf({ shareInfo: wantedShareInfo });

  const change = compact(changedTexts(wanted, accepted), {
    companies: companies.operations,
    customTags: customTags.operations,
    shareInfo: shareInfo?.mode === knownShareInfo?.mode ? undefined : wantedShareInfo,
    docAuthors: newAuthors.map(spellOut),
  });
  return {
    change: Object.keys(change).length === 0 ? null : change,
    accepted: compact(textsOf(accepted), textsOf(wanted), {
      createdTimestamp: accepted.createdTimestamp,
      companies: companies.accepted,
      customTags: customTags.accepted,
      shareInfo,
      docAuthors: [...knownAuthors, ...newAuthors],
    }),
    unclearable: [...lostFields(wanted, accepted), ...without(knownAuthors, authors).map(lostAuthor)].filter(
      ({ code }) => !said.includes(code),
    ),
  };
}

/** The sharing mode of a document of which nobody states one any more. NONE stays, because to end it would publish. */
export function unstatedMode({ shareInfo }: Metadata): 'NONE' | 'DEFAULT' {
  return shareInfo?.mode === 'NONE' ? 'NONE' : 'DEFAULT';
}

function spellOut<T extends { readonly operation?: ElementOperation | undefined }>(element: T): T {
  return isDelete(element) ? element : { ...element, operation: 'ADD' };
}

function textsOf(metadata: Metadata): Pick<Metadata, keyof typeof textWords> {
  return Object.fromEntries(textFields.map((field) => [field, metadata[field]]));
}

function changedTexts(wanted: Metadata, accepted: Metadata): Pick<Metadata, keyof typeof textWords> {
  const changed = textFields.filter(
    (field) => wanted[field] !== undefined && wanted[field] !== accepted[field],
  );
  return Object.fromEntries(changed.map((field) => [field, wanted[field]]));
}

/** Interface 2.6: an empty object means mode DEFAULT. */
function shareInfoOf({ shareInfo }: Metadata): Required<ShareInfo> | undefined {
  return shareInfo === undefined ? undefined : { mode: modeOf({ shareInfo }) };
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
  const outlives = (field: (typeof replacedFields)[number]) =>
    field === 'shareInfo' ? unstatedMode(accepted) === 'NONE' : accepted[field] !== undefined;
  return replacedFields
    .filter((field) => wanted[field] === undefined && outlives(field))
    .map((field) => ({
      code: field,
      message: `the ${replacedWords[field]} stays at the service as it was last sent, because nothing states one any more; state another to replace it`,
    }));
}

function lostAuthor({ authorName }: DocumentAuthor): Unclearable {
  return {
    code: `docAuthors:${authorName}`,
    message: `the author ${printable(authorName)} stays at the service, which cannot remove authors`,
  };
}

/** The fields of all, the last one that states a field counts; what is undefined and empty lists state nothing. */
function compact(...parts: readonly Metadata[]): Metadata {
  const fields: Record<string, unknown> = {};
  for (const part of parts) {
    for (const [field, value] of Object.entries(part)) {
      if (value !== undefined && !(Array.isArray(value) && value.length === 0)) fields[field] = value;
    }
  }
  return fields;
}

/** How the elements of one list are identified and written. */
export interface ElementKind<T extends Stated> {
  /** Equal texts, the same company or tag. */
  readonly identity: (element: T) => string;
  /** What names it: enough to take it back. */
  readonly bare: (element: T) => T;
  /** All it states, in a fixed order of keys; a stated ADD is what a plain element means anyway. */
  readonly plain: (element: T) => T;
}

interface Stated {
  readonly operation?: ElementOperation | undefined;
}

/** Interface 2.4: identifier and value are the company, salience is said of it. */
export const companyKind: ElementKind<Company> = {
  identity: ({ identifier, value }) => JSON.stringify([identifier ?? null, value]),
  bare: ({ identifier, value }) => ({ value, ...(identifier !== undefined && { identifier }) }),
  plain: (company) => ({
    ...companyKind.bare(company),
    ...(company.salience !== undefined && { salience: company.salience }),
    ...(company.operation === 'DELETE' && { operation: 'DELETE' }),
  }),
};

/** Interface 2.5: one name with two visibilities is two tags. */
export const tagKind: ElementKind<CustomTag> = {
  identity: ({ name, visibility }) => JSON.stringify([name, visibility ?? null]),
  bare: ({ name, visibility }) => ({ name, ...(visibility !== undefined && { visibility }) }),
  plain: (tag) => ({ ...tagKind.bare(tag), ...(tag.operation === 'DELETE' && { operation: 'DELETE' }) }),
};

/**
 * Works out ADD and DELETE between what the service last accepted and the list that shall be, and the list that is accepted
 * once they are: plain elements are held; those with DELETE are what a sidecar stated and was sent. What the service holds
 * of an element can only be replaced, so a change of it is a DELETE and an ADD. A stated DELETE goes out once.
 */
function elementDelta<T extends Stated>(wanted: readonly T[], accepted: readonly T[], kind: ElementKind<T>) {
  // Most documents have none.
  if (wanted.length + accepted.length === 0) return { operations: wanted, accepted };
  const after = byIdentity(wanted, kind);
  const before = byIdentity(accepted, kind);
  const takenBack: T[] = [];
  const added: T[] = [];
  for (const [identity, known] of before) {
    if (!isDelete(known) && !after.has(identity))
      takenBack.push({ ...kind.bare(known), operation: 'DELETE' });
  }
  for (const [identity, element] of after) {
    const known = before.get(identity);
    if (known !== undefined && JSON.stringify(known) === JSON.stringify(element)) continue;
    if (isDelete(element)) {
      takenBack.push(element);
      continue;
    }
    if (known !== undefined && !isDelete(known)) takenBack.push({ ...kind.bare(known), operation: 'DELETE' });
    added.push({ ...element, operation: 'ADD' });
  }
  // DELETEs first, so that a service that applies them in order ends right.
  return { operations: [...takenBack, ...added], accepted: [...after.values()] };
}

/** Each element once, in plain form; of several that name the same the last counts, as it would when applied in order. */
export function byIdentity<T extends Stated>(
  elements: readonly T[],
  kind: Pick<ElementKind<T>, 'identity' | 'plain'>,
): ReadonlyMap<string, T> {
  return new Map(elements.map((element) => [kind.identity(element), kind.plain(element)]));
}

/** Says whether an element is one to be taken back. */
export function isDelete(element: Stated): boolean {
  return element.operation === 'DELETE';
}
