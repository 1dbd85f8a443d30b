import * as z from 'zod';

import type { DeepReadonly } from '../../lib/deep-readonly.ts';
import { shareModes } from '../metadata/metadata.ts';
import { noWaits, waitKinds } from './wait-kinds.ts';

/** No list of a status or report is longer; beside it stands how many there are in all. */
export const longestList = 1_000;
/** So many held deletions of a folder are named, and documents that are held more narrowly than stated. */
export const mostNames = 100;

const text = z.string();
const count = z.number();
/** ISO 8601, UTC. */
const time = z.string();
const place = z.object({ folder: text, path: text });

const reason = z.object({
  code: text,
  message: text,
  /** The folder that it is of; absent: it is of all, or names what it is of. */
  folder: text.optional(),
  /** The file or directory in it that it is of; the message does not name it. */
  path: text.optional(),
  /** From when on it keeps requests back; absent: not known. */
  since: time.optional(),
  /** When the next request is tried, whatever comes of it; absent: nothing is planned, or it is due now. */
  until: time.optional(),
});

const folder = z.object({
  name: text,
  path: text,
  /** `stopped`: no daemon runs, so it is unknown. */
  state: z.enum(['scanning', 'watching', 'polling', 'unavailable', 'stopped']),
  watches: count,
  /** The sum of the next five: each file counts in one of them. What waits to be removed is no file. */
  onDisk: count,
  synced: count,
  pending: count,
  waiting: count,
  failed: count.describe('With those of inDoubt, which words for people tell apart.'),
  skipped: count,
  inDoubt: count.default(0).describe('Of those that failed: uploads in doubt that wait for a person.'),
  pendingInDoubt: count.default(0).describe('Of those that are pending: uploads in doubt, sent again.'),
  retriedInDoubt: count.default(0).describe('Of those that wait: uploads in doubt, to be retried.'),
  /** Records whose file is gone, and whose deletion is held or was refused. */
  held: count,
  /** Documents that stay at the service although their file is ignored, kept or out of reach. */
  kept: count,
  /** Files that are attachments of documents. */
  attached: count,
  /** Documents that are held with a narrower sharing mode than is stated now. */
  narrower: count,
  oldestUnsyncedSeconds: count,
  missedByWatcher: count,
});

const failure = place.extend({ code: text, message: text, attempts: count, retryAt: time.nullable() });

const skip = place.extend({
  /** Base64, where the path is not UTF-8: U+FFFD then stands in `path`. */
  pathBytes: text.optional(),
  code: text,
  message: text,
});

const held = z.object({
  folder: text,
  count,
  /** Without a daemon: the moment of the look that found what will be held. */
  since: time,
  reason: text,
  /** Names of the first hundred. */
  paths: z.array(text),
});

/** A document that the service may hold more than once, and how many more of it there may be. */
const duplicate = place.extend({ copies: count });

/** One request under way; `since`: when its last byte went out, or else when it began. */
const transfer = place.extend({
  operation: text,
  bytesSent: count,
  bytesTotal: count,
  documents: count,
  since: text.optional(),
});

/** What was delivered. */
export const totalsSchema = z.object({
  uploaded: count,
  modified: count,
  deleted: count,
  moved: count,
  requests: count,
  bytesSent: count,
});

/** The status as the daemon sends it: scripts rely on its names. */
export const statusSchema = z.object({
  version: text,
  startedAt: time,
  pid: count,
  /** Whether something needs a person: nothing, some documents, or everything. All that shows the state follows it. */
  health: z.enum(['ok', 'attention', 'error']),
  /** `stopped`: no daemon runs and the ledger alone is read. `standby`: another host does the work. */
  state: z.enum(['starting', 'working', 'idle', 'paused', 'degraded', 'stopping', 'stopped', 'standby']),
  /** Names of the folders of which nothing is sent, because a person said so. */
  paused: z.array(text),
  /** True for the embedded service: documents go no further than this machine. */
  trial: z.boolean(),
  /** Address of the ingestion endpoints. */
  service: text,
  /** The user who signs in; null: not known. */
  account: text.nullable(),
  /** Path of the configuration file. */
  configuration: text,
  reasons: z.array(reason),
  folders: z.array(folder),
  /** Documents at the service whose folders the configuration does not name any more; absent: none. */
  unconfigured: z.array(z.object({ name: text, documents: count })).optional(),
  /** Removals too: `waiting` counts those in their grace, and those that are to be retried. */
  queue: z.object({
    pending: count,
    inFlight: count,
    waiting: count,
    /** Of those that wait. */
    deletionsToRetry: count.optional(),
    /** Null: nothing can be sent now. */
    etaSeconds: count.nullable(),
  }),
  rate: z.object({
    limit: count,
    used: count,
    windowSeconds: count,
    pausedUntil: time.nullable(),
    nextFreeSeconds: count,
  }),
  auth: z.object({ state: z.enum(['none', 'ok', 'refused']), expiresAt: time.nullable() }),
  /** Among the hosts of one account; left out: this host is alone. `hosts`: those connected to Redis, 0: not known. */
  fleet: z.object({ host: text, hosts: count }).optional(),
  totals: totalsSchema,
  failures: z.array(failure),
  failuresTotal: count,
  skipped: z.array(skip),
  skippedTotal: count,
  /**
   * Documents that wait for a sidecar, an attachment or a readable file, and files that stay attachments until a sidecar
   * says otherwise; those that are retried are in `failures`.
   */
  waiting: z.array(skip).default([]),
  waitingTotal: count.default(0),
  /** All that wait, by what they wait for: together the `waiting` of the folders. */
  waitingFor: z.record(z.enum(waitKinds), count).default(noWaits),
  held: z.array(held),
  inDoubt: z.array(
    place.extend({
      since: time,
      count,
      message: text,
      /** Not sent before a person says so; false: sent again by itself, where its file is there. */
      holds: z.boolean().optional(),
      /** It is being sent again at this moment: there is nothing to decide until that has ended. */
      isSending: z.literal(true).optional(),
    }),
  ),
  inDoubtTotal: count,
  /** Documents that are held more narrowly than is stated for them, and why, a hundred of each folder, with the stated mode. */
  narrower: z.array(place.extend({ sharing: text, code: text.default('kept-private') })).default([]),
  /** The first of the documents that stay at the service without a file that is sent, and why. */
  kept: z.array(skip).default([]),
  transfers: z.array(transfer),
  possibleDuplicates: count.describe(
    'Documents that the service may have and no record knows, at most: recordedDuplicates, and one for each unanswered upload in doubt.',
  ),
  /** Which documents they are of, at most a thousand. */
  duplicates: z.array(duplicate),
  recordedDuplicates: count.describe('Of them: further copies of documents that records know.'),
});

export type Status = DeepReadonly<z.output<typeof statusSchema>>;
export type DaemonState = Status['state'];
export type Health = Status['health'];
export type Reason = Status['reasons'][number];
export type FolderStatus = Status['folders'][number];
export type FailureStatus = Status['failures'][number];
export type SkipStatus = Status['skipped'][number];
export type HeldStatus = Status['held'][number];
export type InDoubtStatus = Status['inDoubt'][number];
export type DuplicateStatus = Status['duplicates'][number];
export type TransferStatus = Status['transfers'][number];

/** How long nothing is sent, whatever is free in the minute; `now`: wall clock, ms. */
export function blockedForMs(reasons: readonly Reason[], now: number): number {
  const ends = reasons.map(({ until }) => (until === undefined ? 0 : Date.parse(until) - now));
  return Math.max(0, ...ends);
}

const shareMode = z.enum(shareModes);

/** What became of a document's sharing mode with a request that the service accepted. */
const sharingChangeSchema = z.object({
  /** Null: there was no document, or nobody knows, as it was imported or adopted. */
  before: shareMode.nullable(),
  after: shareMode,
  /** What it may have been in between, because requests with it were not answered; absent: nothing else. */
  perhaps: z.array(shareMode).optional(),
  /** Who says so: a sidecar or `.meta.json` from the root of the folder, or in words. */
  source: text,
});

/** Where a person decides. */
export const deciders = ['page', 'command line'] as const;
export type Decider = (typeof deciders)[number];

/** One thing that happened, for the activity list and the log. */
export const activitySchema = place.extend({
  at: time,
  /**
   * uploaded, modified, deleted, moved, replaced, failed, held, returned, in doubt, warning, remains; of a decision retried,
   * resolved, approved, shared, paused, resumed; of the daemon (`folder` empty) or a folder started, stopped, reloaded,
   * problem, recovered, ended, which are said of a document too.
   */
  what: text,
  docId: text.nullable(),
  message: text.nullable(),
  /** How many documents it covers: bulk calls. */
  documents: count,
  /** Of a move, and of a document whose file was replaced: where the file was, `folder/path`. */
  from: text.optional(),
  /** Of what ended a failure, a doubt or a hold about the same path: what that was. */
  after: z.enum(['failed', 'in doubt', 'held']).optional(),
  /** Of a failure: why, for programs. */
  code: text.optional(),
  /** Of a request that failed or whose answer was lost: upload, modify, delete. */
  operation: text.optional(),
  /** Of an upload, and of a modify that changed the sharing mode or may have. */
  sharing: sharingChangeSchema.optional(),
  /** Of a decision: where a person made it. */
  by: z.enum(deciders).optional(),
});

export type SharingChange = DeepReadonly<z.output<typeof sharingChangeSchema>>;
export type Activity = DeepReadonly<z.output<typeof activitySchema>>;

/** Nothing was delivered. */
export const noTotals = zerosOf(totalsSchema);

/** The counts of a folder of which nothing is known. */
export const noDocuments = zerosOf(folder.omit({ name: true, path: true, state: true }));

function zerosOf<Key extends string>({ shape }: z.ZodObject<Record<Key, z.ZodType>>) {
  return Object.fromEntries(Object.keys(shape).map((key) => [key, 0])) as Readonly<Record<Key, number>>;
}

/** What a status holds of documents and requests while nothing runs that sends. `limit`: requests a minute. */
export function emptyStatus(limit: number) {
  return {
    paused: [],
    queue: { pending: 0, inFlight: 0, waiting: 0, etaSeconds: null },
    rate: { limit, used: 0, windowSeconds: 60, pausedUntil: null, nextFreeSeconds: 0 },
    auth: { state: 'none', expiresAt: null },
    totals: noTotals,
    failures: [],
    failuresTotal: 0,
    skipped: [],
    skippedTotal: 0,
    waiting: [],
    waitingTotal: 0,
    waitingFor: noWaits(),
    held: [],
    inDoubt: [],
    inDoubtTotal: 0,
    narrower: [],
    kept: [],
    transfers: [],
    possibleDuplicates: 0,
    duplicates: [],
    recordedDuplicates: 0,
  } satisfies Partial<Status>;
}
