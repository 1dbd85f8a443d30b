import * as z from 'zod';
import type { Why } from '../../model/ports/control-port.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';
import type { Status } from '../../model/report/status.ts';

const count = z.number();
const text = z.string();
const reason = z.object({ code: text, message: text });
const failing = z.object({ folder: text, path: text, code: text, message: text });

/** Contract section 6, as the daemon sends it. */
export const statusSchema: z.ZodType<Status> = z.object({
  version: text,
  startedAt: text,
  pid: count,
  health: z.enum(['ok', 'attention', 'error']),
  state: z.enum(['starting', 'working', 'idle', 'paused', 'degraded', 'stopping', 'stopped', 'standby']),
  paused: z.array(text),
  trial: z.boolean(),
  service: text,
  account: text.nullable(),
  configuration: text,
  reasons: z.array(reason),
  folders: z.array(
    z.object({
      name: text,
      path: text,
      state: z.enum(['scanning', 'watching', 'polling', 'unavailable', 'stopped']),
      watches: count,
      onDisk: count,
      synced: count,
      pending: count,
      waiting: count,
      failed: count,
      skipped: count,
      held: count,
      kept: count,
      attached: count,
      oldestUnsyncedSeconds: count,
      missedByWatcher: count,
    }),
  ),
  unconfigured: z.array(z.object({ name: text, documents: count })).optional(),
  queue: z.object({ pending: count, inFlight: count, waiting: count, etaSeconds: count }),
  rate: z.object({
    limit: count,
    used: count,
    windowSeconds: count,
    pausedUntil: text.nullable(),
    nextFreeSeconds: count,
  }),
  fleet: z.object({ host: text, hosts: count }).optional(),
  auth: z.object({ state: z.enum(['none', 'ok', 'refused']), expiresAt: text.nullable() }),
  totals: z.object({
    uploaded: count,
    modified: count,
    deleted: count,
    moved: count,
    requests: count,
    bytesSent: count,
  }),
  failures: z.array(failing.extend({ attempts: count, retryAt: text.nullable() })),
  failuresTotal: count,
  skipped: z.array(failing.extend({ pathBytes: text.optional() })),
  skippedTotal: count,
  waiting: z.array(failing).default([]),
  waitingTotal: count.default(0),
  waitingFor: z
    .object({ settling: count, sidecar: count, attachment: count, retry: count, other: count })
    .default({ settling: 0, sidecar: 0, attachment: 0, retry: 0, other: 0 }),
  held: z.array(z.object({ folder: text, count, since: text, reason: text, paths: z.array(text) })),
  inDoubt: z.array(z.object({ folder: text, path: text, since: text, count, message: text })),
  inDoubtTotal: count,
  transfers: z.array(
    z.object({
      folder: text,
      path: text,
      operation: text,
      bytesSent: count,
      bytesTotal: count,
      documents: count,
    }),
  ),
  possibleDuplicates: count,
  duplicates: z.array(z.object({ folder: text, path: text, copies: count })),
  recordedDuplicates: count,
});

/** What the daemon tells of one file. */
export const whySchema: z.ZodType<Why> = z.object({
  folder: text.nullable(),
  path: text,
  verdict: z.object({ kind: text, code: text, message: text }),
  sidecar: text.nullable(),
  metadata: z.custom<Metadata>((value) => typeof value === 'object').nullable(),
  sources: z.record(text, text).default({}),
  attachments: z.array(text),
  docId: text.nullable(),
  sha256: text.nullable(),
  uploadedAt: text.nullable(),
  modifiedAt: text.nullable(),
  deletedAt: text.nullable(),
  possibleDuplicates: count,
  attempts: z.array(z.object({ at: count, operation: text, code: text, message: text })),
  notes: z.array(text),
  next: text,
  nextAt: text.nullable(),
});

/** The answer to POST /api/retry. */
export const retriedSchema = z.object({
  retried: count,
  unknown: z.array(text),
});

/** The answer to POST /api/approve. */
export const approvedSchema = z.object({ approved: count });

/** The answer to POST /api/pause and /api/resume: what is paused now. */
export const pausedSchema = z.object({ paused: z.array(text) });

/** The answer to POST /api/rescan. */
export const rescannedSchema = z.object({ folders: z.array(text) });
