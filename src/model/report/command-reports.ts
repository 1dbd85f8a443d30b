import * as z from 'zod';

import type { DeepReadonly } from '../../lib/deep-readonly.ts';
import { shareModes } from '../metadata/metadata.ts';
import type { Metadata, ShareMode } from '../metadata/metadata.ts';
import type { BulkKind, SendKind } from '../operation.ts';
import { explain, placed } from './explanations.ts';
import { activitySchema } from './status.ts';

/** What could not be read, with the reason: nothing in there is planned, sent or deleted. */
export interface UnreadPlaces {
  /** Whole folders. */
  readonly unavailable: readonly { readonly folder: string; readonly message: string }[];
  /** Directories in the others, which the message names. */
  readonly unreadable: readonly { readonly folder: string; readonly message: string }[];
}

/** An operation of what `sync` would do. */
export interface PlannedOperation {
  readonly kind: SendKind | `bulk ${BulkKind}` | 'move' | 'held' | 'failed' | 'waiting';
  readonly folder: string;
  readonly path: string;
  /** Of a move: where it was, `folder/path`. */
  readonly from: string | null;
  readonly docId: string | null;
  /** The name under which its file goes out; null: its own, or no file does. */
  readonly sentAs: string | null;
  /** Of an upload: an earlier one of the document was not answered, so the service may get a copy. */
  readonly inDoubt: boolean;
  /** What changes, in words: content, attachments, names of metadata fields. */
  readonly parts: readonly string[];
  /** The sharing mode that goes out; null: none does, and it stays as it is. */
  readonly sharing: ShareMode | null;
  /** Names of the attachments that go out; null: none do, and they stay as they are. */
  readonly attachments: readonly string[] | null;
  /** Of what is held, failed or waiting, also for its next attempt: why, for programs. */
  readonly code: string | null;
  readonly message: string | null;
}

/** One finding of `check`. */
export interface CheckFinding {
  readonly level: 'error' | 'warning' | 'info';
  /** What it is about: a configuration key, a folder's name, a file's path. */
  readonly subject: string;
  /** Base64, where the subject is a path that is not UTF-8: of the path below the folder. */
  readonly pathBytes?: string;
  readonly code: string;
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
}

/** A finding of `check`, with the fix that its code has for its subject where none is given; what is no problem has none. */
export function finding(
  level: CheckFinding['level'],
  subject: string,
  {
    code,
    message,
    fix = level === 'info' ? '' : placed(explain(code).fix, subject),
  }: Pick<CheckFinding, 'code' | 'message'> & { readonly fix?: string | undefined },
): CheckFinding {
  return { level, subject, code, message, fix };
}

const text = z.string();

/** Counters of the status that say that something is left to do or to decide. */
export const nowStates = z.enum(['failed', 'inDoubt', 'waiting', 'pending', 'held', 'attached']);

/**
 * The whole story of one file, as the daemon sends it and `why` prints it. A field that is left
 * out gets the value that says that it is not known.
 */
export const whySchema = z.object({
  folder: text.nullable(),
  path: text,
  /** Whether it is a document, and the rule that says so. */
  verdict: z.object({ kind: text, code: text, message: text }),
  /** Where it stands on its way to the service, or from there, and why; null: it is where it should be. */
  now: z.object({ state: nowStates, message: text }).nullable().default(null),
  /** What to do about what keeps it from being sent; null: nothing does, or the message says so. */
  fix: text.nullable().default(null),
  sidecar: text.nullable().default(null),
  /** The name under which its file is sent; null: its own. */
  sentAs: text.nullable().default(null),
  metadata: z
    .custom<Metadata>((value) => typeof value === 'object')
    .nullable()
    .default(null),
  /** Where each field of `metadata` comes from: a sidecar, a `.meta.json`, the folder's settings, the file itself, or what it was before. */
  sources: z.record(text, text).default({}),
  /** A wider sharing mode is stated than is held, with the reason; `metadata` has the one that is held. */
  narrower: z
    .object({ sharing: z.enum(shareModes), code: text, message: text })
    .nullable()
    .default(null),
  attachments: z.array(text).default([]),
  docId: text.nullable().default(null),
  sha256: text.nullable().default(null),
  uploadedAt: text.nullable().default(null),
  /** It was at the service before: `uploadedAt` is the time of its import. */
  imported: z.boolean().default(false),
  modifiedAt: text.nullable().default(null),
  /** The file is gone and so is its document: when it was deleted. Known for as long as the log goes back. */
  deletedAt: text.nullable().default(null),
  possibleDuplicates: z.number().default(0),
  /** The last requests about it and the answer to each, oldest first; `at` ISO 8601, UTC. */
  attempts: z.array(z.object({ at: text, operation: text, code: text, message: text })).default([]),
  /** What else happened to it, as the log has it, oldest first: moves, decisions, failures without a request. */
  decisions: z.array(activitySchema).default([]),
  /** What the service holds otherwise than the file's metadata says, and the interface cannot change. */
  notes: z.array(text).default([]),
  /** What happens next, in words. */
  next: text,
  /** ISO 8601, UTC. */
  nextAt: text.nullable().default(null),
});

export type Why = DeepReadonly<z.output<typeof whySchema>>;
