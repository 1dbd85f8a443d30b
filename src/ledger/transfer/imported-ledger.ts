import * as z from 'zod';

import { importedMark } from '../../model/ports/ledger-port.ts';
import type { ChangeOf, LedgerEntry } from '../../model/ports/ledger-port.ts';
import { metadataFields } from '../../model/metadata/metadata.ts';
import { attachmentSchema, hashPattern, recordSchema, statSchema } from '../../model/ports/ledger-schema.ts';
import type { exportedChangeSchema } from '../../model/ports/ledger-schema.ts';
import { isUsableDocId, isValidRef, nameOf, refKey, unknownStat } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';

/** Something in an import file that cannot be taken. */
export interface ImportProblem {
  /** From 1; null where it is the whole file. */
  readonly line: number | null;
  readonly message: string;
}

/** What an import file holds. Where there are problems nothing of it should be taken; what is right is looked at further. */
export interface ImportedLedger {
  readonly entries: readonly ImportedEntry[];
  readonly problems: readonly ImportProblem[];
  /** What else the file knows: uploads in doubt and under way, failures, deletions, directories. */
  readonly changes?: readonly ImportedChange[] | undefined;
  /** Whose documents they are; absent: it does not say. */
  readonly service?: string | undefined;
}

/** What an import file knows beside documents. */
export type ImportedChange = ChangeOf<z.output<typeof exportedChangeSchema>['kind']>;

/** What an import file is read with. */
export interface ImportOptions {
  /** Names of the configured folders. With one of them the CSV may leave the folder out. */
  readonly folders: readonly string[];
  /** Their paths. */
  readonly paths: readonly string[];
  /** Wall clock, ms: the time of upload of documents whose time is not known. */
  readonly now: number;
}

const path = z.string().normalize('NFC');
const sha256 = z.string().regex(hashPattern, 'is not a SHA-256 in lower-case hex');
/** A document as `ledger export` prints it; other files may leave out what has a default here. */
export const documentSchema = z.object({
  ...recordSchema.omit({ fingerprint: true }).shape,
  folder: z.string(),
  path,
  sha256: sha256.default(''),
  size: z.int().nonnegative().default(0),
  attachments: z
    .array(attachmentSchema.extend({ sha256, path: path.optional(), stat: statSchema.default(unknownStat) }))
    .default([]),
  /** As a person hands it in: a key that is not of interface 2.2 is an error. */
  metadata: z.strictObject(metadataFields(z.string())).optional(),
  uploadedAt: z.iso.datetime().optional(),
  modifiedAt: z.iso.datetime().nullable().default(null),
  possibleDuplicates: recordSchema.shape.possibleDuplicates.default(0),
  fileName: z.string().min(1).optional(),
  stat: statSchema.optional(),
});

/**
 * A document whose file has not been inspected: unknown values are empty, an unknown time of upload is that of the
 * import. Only an export with all that is known tells where a sharing mode was stated, and that metadata without one means
 * DEFAULT.
 */
export function importedEntry(
  {
    folder,
    path,
    size,
    fileName = nameOf(path),
    stat,
    uploadedAt,
    metadata,
    ...known
  }: z.output<typeof documentSchema>,
  { now }: Pick<ImportOptions, 'now'>,
): LedgerEntry {
  const isExported = uploadedAt !== undefined && metadata !== undefined && stat !== undefined;
  const record = {
    ...known,
    stat: stat ?? { ...unknownStat, size },
    fingerprint: '',
    fileName,
    metadata: metadata ?? {},
    uploadedAt: uploadedAt ?? new Date(now).toISOString(),
    ...(isExported ? null : { said: [...(known.said ?? []), importedMark] }),
  };
  return { ref: { folder, path }, record };
}

/** A document from an import file and where it stands there. */
export interface ImportedEntry extends LedgerEntry {
  /** From 1; null where it is not known. */
  readonly line: number | null;
  /** How a message names its place: `documents[3]`, or empty. */
  readonly place: string;
}

/** Sorts out documents that cannot be: of unknown folders, outside of them, or twice. */
export function checkEntries(
  imported: readonly ImportedEntry[],
  { folders }: Pick<ImportOptions, 'folders'>,
  found: readonly ImportProblem[],
): ImportedLedger {
  const problems = [...found];
  const taken: ImportedEntry[] = [];
  const paths = new Set<string>();
  const docIds = new Map<string, string>();
  for (const entry of imported) {
    const { ref, record, line, place } = entry;
    const places = [ref, ...record.attachments.map(({ folder = ref.folder }) => ({ ...ref, folder }))];
    const message =
      places.map((one) => refProblem(one, folders)).find((problem) => problem !== null) ??
      (paths.has(refKey(ref)) ? `${ref.path} appears twice` : null) ??
      docIdProblem(entry, docIds.get(record.docId));
    paths.add(refKey(ref));
    docIds.set(record.docId, refKey(ref));
    if (message === null) taken.push(entry);
    else problems.push({ line, message: `${place}${message}` });
  }
  return { entries: taken, problems };
}

/** Why a reference cannot be one of a configured folder; null: it can. */
export function refProblem(ref: DocumentRef, folders: readonly string[]): string | null {
  if (!folders.includes(ref.folder)) {
    return `no folder named ${JSON.stringify(ref.folder)} is configured; there ${folders.length === 1 ? 'is' : 'are'} ${folders.join(', ')}`;
  }
  return isValidRef(ref) ? null : `${JSON.stringify(ref.path)} is not a path inside the folder`;
}

function docIdProblem({ record }: LedgerEntry, owner: string | undefined): string | null {
  if (!isUsableDocId(record.docId)) return `${JSON.stringify(record.docId)} is not a docId`;
  return owner === undefined ? null : `docId ${record.docId} also belongs to ${owner}`;
}
