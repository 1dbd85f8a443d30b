import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DocumentRef } from '../../model/document.ts';
import type { PlannedOperation } from '../../model/report/command-reports.ts';
import type {
  FileOutcome,
  LimiterPort,
  ModifyRequest,
  SentContent,
  ServicePort,
  Permit,
} from '../../model/ports/service-port.ts';
import { systemClock } from '../../lib/time/clock.ts';
import type { Change, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { readLedger } from '../../ledger/read-ledger.ts';

/** A service that takes everything, sends nothing and remembers what it was asked. */
export interface PlanningService extends ServicePort {
  readonly operations: () => readonly PlannedOperation[];
  readonly requests: () => number;
}

type Find = (docId: string) => DocumentRef | undefined;

export function createPlanningService(find: Find): PlanningService {
  const operations: PlannedOperation[] = [];
  let requests = 0;

  function accept(
    docId: string | null,
    permit: Permit,
    sent: readonly SentContent[] = [],
  ): Promise<FileOutcome> {
    requests += 1;
    permit.spent();
    return Promise.resolve({ outcome: { kind: 'accepted', docId, warning: null }, sent, requests: 1 });
  }

  function plan(kind: PlannedOperation['kind'], docId: string, parts: readonly string[]): void {
    const ref = find(docId) ?? { folder: '', path: '' };
    operations.push({ kind, ...ref, from: null, docId, parts, code: null, message: null });
  }

  return {
    operations: () => operations,
    requests: () => requests,
    upload: (request, permit) =>
      accept(`planned-${requests + 1}`, permit, [request.file, ...request.attachments].map(unread)),
    modify: (request, permit) => {
      plan('modify', request.docId, partsOf(request));
      const files = [...(request.file === null ? [] : [request.file]), ...(request.attachments ?? [])];
      return accept(request.docId, permit, files.map(unread));
    },
    remove: ({ docId }, permit) => {
      plan('delete', docId, []);
      return accept(docId, permit);
    },
    bulkModify: ({ docIds, ...change }, permit) => {
      for (const docId of docIds) plan('bulk modify', docId, Object.keys(change));
      return accept(null, permit);
    },
    bulkRemove: ({ docIds }, permit) => {
      for (const docId of docIds) plan('bulk delete', docId, []);
      return accept(null, permit);
    },
  };
}

/** Places without end: a plan waits for nothing. */
export function createFreeLimiter(limit: number): LimiterPort {
  const permit: Permit = { spent: () => {}, giveBack: () => {} };
  return {
    take: () => Promise.resolve(permit),
    pause: () => {},
    status: () => ({ limit, used: 0, windowMs: 60_000, pausedUntil: null, nextFreeMs: 0 }),
    waitMs: () => 0,
    close: () => {},
  };
}

/** The bytes were not read: nobody will compare them. */
function unread(): SentContent {
  return { sha256: '' };
}

function partsOf({ file, attachments, metadata }: ModifyRequest): readonly string[] {
  return [
    ...(file === null ? [] : ['content']),
    ...(attachments === null ? [] : ['attachments']),
    ...Object.keys(metadata ?? {}),
  ];
}

const changesAtOnce = 5_000;

/**
 * A copy of the ledger in a state directory, which may be a running daemon's: it may be written and is forgotten when
 * closed.
 */
export async function openScratchLedger(stateDir: string, log: LogPort): Promise<LedgerPort> {
  const reader = await readLedger(stateDir);
  const scratch = await mkdtemp(join(tmpdir(), 'ingestd-plan-'));
  try {
    const ledger = await openLedger({ dir: join(scratch, 'state'), clock: systemClock, log });
    const changes = changesOf(reader);
    for (let start = 0; start < changes.length; start += changesAtOnce) {
      await ledger.commit(changes.slice(start, start + changesAtOnce));
    }
    return {
      ...ledger,
      close: async () => {
        await ledger.close();
        await rm(scratch, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(scratch, { recursive: true, force: true });
    throw error;
  }
}

function changesOf(reader: Awaited<ReturnType<typeof readLedger>>): readonly Change[] {
  const changes: Change[] = [];
  const service = reader.service();
  if (service !== null) changes.push({ kind: 'service', service });
  for (const { ref, record } of reader.entries()) {
    changes.push({ kind: 'put', ref, record });
    if (reader.isApproved(ref)) changes.push({ kind: 'approve', folder: ref.folder, paths: [ref.path] });
  }
  for (const [ref, failure] of reader.failures()) changes.push({ kind: 'fail', ref, failure });
  for (const doubt of reader.doubts()) changes.push({ kind: 'doubt', doubt });
  for (const folder of reader.folders()) {
    const hold = reader.hold(folder);
    if (hold !== undefined) changes.push({ kind: 'hold', folder, hold });
    const identity = reader.root(folder);
    if (identity !== undefined) changes.push({ kind: 'root', folder, identity });
    const mounts = reader.mounts(folder);
    if (mounts.length > 0)
      changes.push({ kind: 'mounts', folder, mounts, identities: reader.mountIdentities(folder) });
    for (const path of reader.directories(folder)) {
      const identity = reader.directory({ folder, path });
      if (identity !== undefined) changes.push({ kind: 'directory', folder, path, identity });
    }
    for (const removal of reader.removals(folder)) changes.push({ kind: 'removed', folder, removal });
  }
  return changes;
}
