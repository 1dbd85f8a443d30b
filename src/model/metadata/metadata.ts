import * as z from 'zod';

import type { Reading } from '../../lib/text/decode-text.ts';
import { describeIssues } from '../../lib/text/describe-issues.ts';
import type { DeepReadonly } from '../../lib/deep-readonly.ts';

/** Interface 2.4. */
const companyIdentifiers = ['ISIN', 'CUSIP', 'SEDOL', 'VALOR', 'TICKER', 'NAME', 'CIK'] as const;
/** Interface 2.4. */
export const saliences = ['PRIMARY', 'SECONDARY'] as const;
/** Interface 2.5. */
export const tagVisibilities = ['PRIVATE', 'PUBLIC'] as const;
/** Interface 2.6; the narrowest comes first. */
export const shareModes = ['NONE', 'DEFAULT', 'EVERYONE'] as const;
/** Interface 2.4, 2.5. */
export const elementOperations = ['ADD', 'DELETE'] as const;

/** The fields of metadata, interface 2.2. `name` is what names a company, a tag or a user; `most`: elements of a list. */
export function metadataFields(name: z.ZodString, most = Infinity) {
  const list = <T extends z.ZodType>(element: T) => z.array(element).max(most, tooMany(most)).optional();
  /** As stated in a sidecar it is sent unchanged. */
  const operation = z.enum(elementOperations).optional();
  const identifier = z.enum(companyIdentifiers).optional();
  const salience = z.enum(saliences).optional();
  const visibility = z.enum(tagVisibilities).optional();
  return {
    title: z.string().optional(),
    companies: list(z.strictObject({ value: name, operation, identifier, salience })),
    customTags: list(z.strictObject({ name, operation, visibility })),
    /** Interface 2.6. An empty object means mode DEFAULT. */
    shareInfo: z.strictObject({ mode: z.enum(shareModes).optional() }).optional(),
    /** Interface 2.7. Authors can only be added. */
    docAuthors: list(z.strictObject({ authorName: name, operation: z.literal('ADD').optional() })),
    documentOwner: name.optional(),
    /** yyyy-mm-ddThh:mm:ssZ; goes out with an upload only. */
    createdTimestamp: z.string().optional(),
    sourceType: z.string().optional(),
    documentUrl: z.string().optional(),
  };
}

/** Of one list: the main thread works on all of it in one turn. */
const maxElements = 1_000;

/** Metadata as a folder's defaults and a `.meta.json` state it: an unknown field is not valid. */
export const metadataSchema = z.strictObject({
  ...metadataFields(z.string().min(1), maxElements),
  createdTimestamp: z
    .string()
    .refine(isTimestamp, 'must be a valid date of the form yyyy-mm-ddThh:mm:ssZ')
    .optional(),
});

/** Interface 2.2, without operations worked out: what should be true of a document, or what the service accepted. */
export type Metadata = DeepReadonly<z.output<typeof metadataSchema>>;
export type Company = NonNullable<Metadata['companies']>[number];
export type CustomTag = NonNullable<Metadata['customTags']>[number];
export type ShareInfo = NonNullable<Metadata['shareInfo']>;
export type ShareMode = (typeof shareModes)[number];
export type DocumentAuthor = NonNullable<Metadata['docAuthors']>[number];
export type ElementOperation = NonNullable<Company['operation']>;

/** Interface 2.6: what states no mode means DEFAULT. */
export function modeOf({ shareInfo }: Pick<Metadata, 'shareInfo'>): ShareMode {
  return shareInfo?.mode ?? 'DEFAULT';
}

/** A document's own sidecar: metadata, and paths of attachments relative to the document's directory. */
const sidecarSchema = metadataSchema.extend({
  attachments: z
    .array(
      z
        .string()
        .min(1)
        .refine((path) => Buffer.byteLength(path) <= 4_096, 'is longer than 4096 bytes; shorten it'),
    )
    .max(64, tooMany(64))
    .optional(),
});

function tooMany(most: number): string {
  return `has more than ${most} entries; remove some`;
}

/** What a sidecar states. */
export interface Sidecar {
  readonly metadata: Metadata;
  readonly attachments: readonly string[];
}

/** Reads metadata that came from outside: no `attachments` here. Each fault is said with its field. Never throws. */
export function readMetadata(value: unknown): Reading<Metadata> {
  return readBy(metadataSchema, value);
}

/** Reads the content of a sidecar. Never throws. */
export function readSidecar(value: unknown): Reading<Sidecar> {
  const read = readBy(sidecarSchema, value);
  if (read.kind === 'invalid') return read;
  const { attachments = [], ...metadata } = read.value;
  return { kind: 'valid', value: { metadata, attachments } };
}

const mostReported = 3;

function readBy<T>(schema: z.ZodType<T>, value: unknown): Reading<T> {
  const read = schema.safeParse(value);
  if (read.success) return { kind: 'valid', value: read.data };
  const faults = describeIssues(read.error.issues, value, { schema }).map(({ message }) => message);
  if (faults.length < 2) return { kind: 'invalid', message: faults.join('') };
  // Each holds a fix behind a semicolon of its own.
  const numbered = faults.slice(0, mostReported).map((fault, index) => `(${index + 1}) ${fault}`);
  const more = faults.length - numbered.length;
  const message = `${faults.length} problems: ${numbered.join(' ')}${more > 0 ? ` and ${more} more` : ''}`;
  return { kind: 'invalid', message };
}

function isTimestamp(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text)) return false;
  const at = new Date(text);
  // The round trip refuses the 30th of February, which Date would take for the 2nd of March.
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 19) === text.slice(0, 19);
}
