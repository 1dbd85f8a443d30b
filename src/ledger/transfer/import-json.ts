import * as z from 'zod';

import type { DeepReadonly } from '../../lib/deep-readonly.ts';
import { errorMessage } from '../../model/errors.ts';
import type { LedgerEntry, LedgerRecord } from '../../model/ports/ledger-port.ts';
import { isValidPath, unknownStat } from '../../model/document.ts';
import { identitySchema } from '../format/change-format.ts';
import {
  carriedSchema,
  companionsSchema,
  hashPattern,
  rareSchema,
  statSchema,
  strictMetadataSchema,
} from '../format/record-schemas.ts';
import { checkEntries, refProblem, importedRecord } from './imported-ledger.ts';
import type {
  ImportedEntry,
  ImportedChange,
  ImportedLedger,
  ImportOptions,
  ImportProblem,
} from './imported-ledger.ts';

const hash = z.string().regex(hashPattern, 'is not a SHA-256 in lower-case hex');
/** Milliseconds since 1970, told as text. */
const time = z.iso.datetime().transform((text) => Date.parse(text));
const anyPath = z.string().normalize('NFC');
const place = z.object({ folder: z.string(), path: anyPath });
const rootChange = z.int().nonnegative();
const insideWords = 'is not a path inside the folder';
const insidePath = anyPath.refine(isValidPath, insideWords);
const mountPath = z.string().refine(isValidPath, insideWords);
const attachmentSchema = z.object({
  name: z.string().min(1),
  sha256: hash,
  path: insidePath.optional(),
  folder: z.string().optional(),
  stat: statSchema.default(unknownStat),
});
const documentSchema = z.object({
  folder: z.string(),
  path: anyPath,
  docId: z.string(),
  sha256: hash.default(''),
  size: z.int().nonnegative().default(0),
  attachments: z.array(attachmentSchema).default([]),
  metadata: strictMetadataSchema.optional(),
  uploadedAt: z.iso.datetime().optional(),
  modifiedAt: z.iso.datetime().nullable().default(null),
  possibleDuplicates: z.int().nonnegative().default(0),
  /** The one that went out last. */
  fileName: z.string().min(1).optional(),
  /** What the file looked like when it was sent: tells it from others after a move. */
  stat: statSchema.optional(),
  companions: companionsSchema.optional(),
  /** Sharing modes that go with it and with files that it had before. */
  heldModes: rareSchema.shape.heldModes,
  said: z.array(z.string()).optional(),
  /** What the service may hold instead, because answers were lost. */
  unsure: z
    .object({
      content: z.boolean(),
      attachments: z.boolean(),
      metadata: z.array(strictMetadataSchema),
      gone: z.literal(true).optional(),
    })
    .optional(),
  rootChange: rootChange.optional(),
});
const carried = carriedSchema(strictMetadataSchema).optional();
/** An upload whose outcome was never learned; `stat` is that of the file that was sent. */
const inDoubtSchema = place.extend({
  id: z.string().min(1),
  stat: statSchema.optional(),
  carried,
  count: z.int().positive(),
  since: time,
  message: z.string(),
  holds: z.boolean(),
  dismissed: z.literal(true).optional(),
});
const uploadingSchema = place.extend({
  id: z.string().min(1),
  size: z.number().nonnegative(),
  stat: statSchema.optional(),
  carried,
  at: time,
});
const failureSchema = place.extend({
  code: z.string(),
  message: z.string(),
  attempts: z.int().nonnegative(),
  history: z.array(z.object({ at: time, operation: z.string(), code: z.string(), message: z.string() })),
  stat: statSchema,
  fingerprint: z.string(),
  rootChange: rootChange.optional(),
});
/** The directory that a folder was when it was last known to be right, and what was mounted below it. */
const rootSchema = z.object({
  folder: z.string(),
  path: z.string().min(1),
  dev: z.number(),
  ino: z.number(),
  birthtimeMs: z.number().optional(),
  seenAt: time.optional(),
  changes: rootChange.optional(),
  keeps: z.literal(true).optional(),
  mounts: z.array(mountPath),
  mountIdentities: z.array(identitySchema.extend({ path: mountPath })).default([]),
  /** Mount points that were seen with nothing mounted on them, and until when. */
  bareMountPoints: z.array(z.object({ path: mountPath, until: time.nullable() })).default([]),
});
const directorySchema = identitySchema.extend({ folder: z.string(), path: insidePath });
const ledgerSchema = z.object({
  version: z.literal(1),
  /** Whose documents they are. */
  service: z.string().optional(),
  documents: z.array(z.unknown()),
  inDoubt: z.array(inDoubtSchema).default([]),
  uploading: z.array(uploadingSchema).default([]),
  failures: z.array(failureSchema).default([]),
  /** Deletions that wait for a person. */
  held: z.array(z.object({ folder: z.string(), since: time, reason: z.string() })).default([]),
  /** Deletions that a person has allowed and that have not gone out. */
  approved: z.array(place).default([]),
  /** Documents that a person keeps at the service though their files were removed. */
  kept: z.array(place).default([]),
  /** Deletions of the last hour, which the limits of `safety` go by. */
  deleted: z.array(z.object({ folder: z.string(), at: time, count: z.int().nonnegative() })).default([]),
  roots: z.array(rootSchema).default([]),
  /** Which directories hold the documents: a directory that was moved is told from another in its place. */
  directories: z.array(directorySchema).default([]),
});

type Ledger = z.output<typeof ledgerSchema>;

/** A document as `ledger export` prints it: what other exports may leave out is there. */
type ExportedDocument = Omit<z.output<typeof documentSchema>, AlwaysExported> &
  Pick<LedgerRecord, AlwaysExported>;
type AlwaysExported = 'fileName' | 'metadata' | 'stat' | 'uploadedAt';

type Lists = Omit<z.input<typeof ledgerSchema>, 'documents' | 'service'>;

/** What `ledger export` prints: everything by folder, then by path. Times are ISO 8601, UTC. */
export type LedgerExport = DeepReadonly<
  { [Key in keyof Lists]-?: NonNullable<Lists[Key]> } & {
    documents: ExportedDocument[];
    service?: string | undefined;
  }
>;

/** The object that `ledger export` prints. */
export function importJson(text: string, configured: ImportOptions): ImportedLedger {
  const ledger = readLedger(text);
  if ('message' in ledger) return { entries: [], lines: [], problems: [ledger] };
  const options = { ...configured, folders: [...configured.folders, ...formerFolders(ledger, configured)] };
  const problems: ImportProblem[] = [];
  const imported: ImportedEntry[] = [];
  for (const [index, document] of ledger.documents.entries()) {
    const place = `documents[${index}]: `;
    const read = documentSchema.safeParse(document);
    if (read.success) imported.push({ entry: toEntry(read.data, options), line: null, place });
    else
      problems.push(
        ...read.error.issues.map((issue) => ({ line: null, message: `${place}${words(issue)}` })),
      );
  }
  problems.push(...problemsOf(ledger, options));
  return {
    ...checkEntries(imported, options, problems),
    changes: changesOf(ledger),
    service: ledger.service,
  };
}

/**
 * Folders that were taken out of the configuration: the ledger keeps what it knows of them. One at the path of a
 * configured folder is that folder under another name, which is a mistake.
 */
function formerFolders({ roots }: Ledger, { folders, paths }: ImportOptions): readonly string[] {
  return roots
    .filter(({ folder, path }) => !folders.includes(folder) && !paths.includes(path))
    .map(({ folder }) => folder);
}

function readLedger(text: string): Ledger | ImportProblem {
  try {
    const read = ledgerSchema.safeParse(JSON.parse(text));
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    return { line: null, message: `it is not a ledger export: ${issue === undefined ? '' : words(issue)}` };
  } catch (error) {
    return { line: lineOf(text, error), message: `it is not JSON: ${errorMessage(error)}` };
  }
}

/** Where the parser stopped, from the position that its message names. */
function lineOf(text: string, error: unknown): number | null {
  const position = /at position (\d+)/.exec(errorMessage(error))?.[1];
  return position === undefined ? null : text.slice(0, Number(position)).split('\n').length;
}

function changesOf(ledger: Ledger): readonly ImportedChange[] {
  return [
    ...ledger.inDoubt.map(({ folder, path, ...doubt }) => ({
      kind: 'doubt' as const,
      doubt: { ...doubt, ref: { folder, path } },
    })),
    ...ledger.uploading.map(({ folder, path, ...intent }) => ({
      kind: 'intent' as const,
      intent: { ...intent, ref: { folder, path } },
    })),
    ...ledger.failures.map(({ folder, path, ...failure }) => ({
      kind: 'fail' as const,
      ref: { folder, path },
      failure,
    })),
    ...ledger.held.map(({ folder, ...hold }) => ({ kind: 'hold' as const, folder, hold })),
    ...ledger.approved.map(({ folder, path }) => ({ kind: 'approve' as const, folder, paths: [path] })),
    ...ledger.kept.map(({ folder, path }) => ({
      kind: 'approve' as const,
      folder,
      paths: [path],
      keeps: true as const,
    })),
    ...ledger.deleted.map(({ folder, ...removal }) => ({ kind: 'removed' as const, folder, removal })),
    ...ledger.roots.flatMap(
      ({
        folder,
        mounts,
        mountIdentities: identities,
        bareMountPoints: bare,
        ...identity
      }): readonly ImportedChange[] => [
        { kind: 'root', folder, identity },
        ...(mounts.length === 0 ? [] : [{ kind: 'mounts', folder, mounts, identities, bare } as const]),
      ],
    ),
    ...ledger.directories.map(({ folder, path, ...identity }) => ({
      kind: 'directory' as const,
      folder,
      path,
      identity,
    })),
  ];
}

/** The same that is asked of documents: a folder that is configured, or was, and a path inside it. */
function problemsOf(ledger: Ledger, options: ImportOptions): readonly ImportProblem[] {
  const { inDoubt, uploading, failures, approved, kept, directories, held, deleted } = ledger;
  // Their paths are those of the file system.
  const roots = ledger.roots.map(({ folder }) => ({ folder }));
  const lists = { inDoubt, uploading, failures, approved, kept, directories, held, deleted, roots };
  return Object.entries<readonly { folder: string; path?: string }[]>(lists).flatMap(([key, list]) =>
    list.flatMap(({ folder, path = 'any' }) => {
      const message = refProblem({ folder, path }, options.folders);
      return message === null ? [] : [{ line: null, message: `${key}: ${message}` }];
    }),
  );
}

function toEntry(document: z.infer<typeof documentSchema>, options: ImportOptions): LedgerEntry {
  const { folder, ...known } = document;
  return { ref: { folder, path: known.path }, record: importedRecord(known, options) };
}

function words({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')} ${message}`;
}
