import { systemClock } from '../lib/time/clock.ts';
import { sumOf } from '../lib/sum-of.ts';
import { createLimiter } from '../remote/limiter.ts';
import { inNaturalOrder } from '../lib/text/natural-order.ts';
import { nameOf, refKey } from '../model/document.ts';
import type { DocumentRef } from '../model/document.ts';
import { openDoubts } from '../model/doubts.ts';
import { modeOf } from '../model/metadata/metadata.ts';
import type { Metadata, ShareMode } from '../model/metadata/metadata.ts';
import type {
  FileOutcome,
  ModifyRequest,
  OutgoingFile,
  SentContent,
  ServicePort,
  LimiterPort,
  Permit,
} from '../model/ports/service-port.ts';
import type { PlannedOperation } from '../model/report/command-reports.ts';
import { isDismissed, reasonOf } from '../sync/tasks/task.ts';
import { requireClosedState } from '../ledger/lock-state-directory.ts';
import { requireLedger } from '../daemon/preconditions/new-ledger.ts';
import { requireService } from '../daemon/preconditions/whose-ledger.ts';
import { unreadPlaces } from '../daemon/assemble-daemon.ts';
import { requireFolders } from '../daemon/preconditions/folders-on-disk.ts';
import {
  asItStands,
  pausesOf,
  restingStatus,
  scratchLedger,
  withRestingEngine,
} from './offline/resting-engine.ts';
import type { OfflineView, RestingEngine } from './offline/resting-engine.ts';

/** What `sync` would do, as `plan` prints it. */
export type PlanReport = Awaited<ReturnType<typeof makePlan>>;

/**
 * What `sync` would do: the engine itself, on a copy of the ledger and a service that only remembers what it was asked.
 * Sends nothing, changes nothing. Throws ConfigurationError where `sync` would not start: the ledger is of another
 * service, or missing though it must exist, a folder was never there.
 */
export async function makePlan({ settings: configured, makesFolders, fleet }: OfflineView) {
  const settings = asItStands(configured);
  await requireClosedState(settings.state.dir);
  await requireLedger(settings);
  const { ledger } = await scratchLedger(settings);
  requireService(ledger, settings);
  if (!makesFolders) await requireFolders(settings, ledger);
  // Further copies that the service may hold: before uploads in doubt are sent again, and what is planned counts as sent.
  const possibleDuplicates = ledger.possibleDuplicates();
  const undecided = new Set(
    openDoubts(ledger).flatMap(({ ref, again }) => (again === true ? [] : [refKey(ref)])),
  );
  const inDoubt = ledger.doubts().map(({ ref }) => refKey(ref));
  const decided = new Set(inDoubt.filter((key) => !undecided.has(key)));
  const { requestsPerMinute } = settings.service;
  const limiter = createLimiter({ requestsPerMinute, clock: systemClock, recent: ledger.sentRequests() });
  const service = createPlanningService(ledger.findByDocId);
  const pauses = await pausesOf(settings, fleet);
  const owners = fleet?.owners ?? null;
  try {
    return await withRestingEngine({ settings, ledger, owners, service }, async (resting) => {
      const { counts, ...plan } = planOf(resting, service, limiter.waitMs, decided);
      return { ...plan, counts: { ...counts, possibleDuplicates }, ...pauses };
    });
  } finally {
    limiter.close();
  }
}

function planOf(
  resting: RestingEngine,
  service: ReturnType<typeof createPlanningService>,
  waitMs: LimiterPort['waitMs'],
  /** Documents whose uploads were in doubt, and of which a person has decided that they are sent. */
  decided: ReadonlySet<string>,
) {
  const { settings, ledger, engine, folders, activities } = resting;
  const status = restingStatus(resting, { most: Infinity });
  const operations: PlannedOperation[] = [...service.operations()];
  for (const { what, folder, path, docId, from = null } of activities) {
    const record = ledger.get({ folder, path });
    if (what === 'uploaded' && record !== undefined)
      operations.push({
        ...plain,
        kind: 'upload',
        folder,
        path,
        sentAs: sentAs({ path }, record.fileName),
        sharing: modeOf(record.metadata),
        attachments: namesOf(record.attachments),
        // What is in doubt counts as a copy once it was sent again.
        inDoubt: record.possibleDuplicates > 0 && !decided.has(refKey({ folder, path })),
      });
    if (what === 'moved') operations.push({ ...plain, kind: 'move', folder, path, from, docId });
  }
  for (const state of ['failed', 'held', 'settling', 'waiting', 'retry'] as const) {
    for (const task of [...engine.tasks.in(state)].toSorted((a, b) => inNaturalOrder(a.key, b.key))) {
      if (isDismissed(task)) continue;
      const kind = state === 'failed' || state === 'held' ? state : 'waiting';
      const { code = null, message = null } = reasonOf(task) ?? {};
      operations.push({ ...plain, kind, ...task.ref, code, message });
    }
  }
  const count = (...kinds: PlannedOperation['kind'][]) =>
    operations.filter(({ kind }) => kinds.includes(kind)).length;
  const requests = service.requests();
  const bytes = sumOf(operations, bytesOf);
  const { maxKilobytesPerSecond = Infinity } = settings.service;
  const sum = (of: 'synced' | 'kept' | 'narrower') =>
    sumOf(status.folders, (one) => (one.state === 'unavailable' && of === 'synced' ? 0 : one[of]));
  const touched = new Set(operations.filter(({ kind }) => touching.has(kind)).map(refKey)).size;
  return {
    operations,
    ...unreadPlaces(folders),
    narrower: status.narrower,
    held: status.held,
    counts: {
      upload: count('upload'),
      /** Uploads that may be copies: an earlier one of the same document was not answered. */
      inDoubt: operations.filter(({ inDoubt }) => inDoubt).length,
      modify: count('modify', 'bulk modify'),
      move: count('move'),
      delete: count('delete', 'bulk delete'),
      held: sumOf(status.held, (one) => one.count),
      failed: count('failed'),
      /** Documents that still change, or that wait for a sidecar or an attachment, and deletions that wait. */
      waiting: status.queue.waiting,
      /** Files that are no documents that can be sent. */
      skipped: status.skippedTotal,
      /** Directories of attachments without a document. */
      orphanAttachments: sumOf(
        settings.folders,
        ({ name }) => engine.folders.viewOf(name).orphanAttachments.length,
      ),
      /** Documents that stay at the service as they are, because their file is ignored, skipped or kept. */
      kept: sum('kept'),
      /** Documents that are held more narrowly than is stated for them. */
      narrower: sum('narrower'),
      unchanged: Math.max(0, sum('synced') - touched),
    },
    /** To the ingestion endpoints, bulk calls counted as one. */
    requests,
    /** Of files that go out. */
    bytes,
    /** How long they take at the rate limit and the bandwidth of the settings, at the least. */
    seconds: Math.ceil(Math.max(waitMs(requests) / 1000, bytes / 1000 / maxKilobytesPerSecond)),
  };

  /** Of the files that go out with it, as the copy of the ledger knows them. */
  function bytesOf({ kind, folder, path, parts, attachments }: PlannedOperation): number {
    const record = ledger.get({ folder, path });
    if (record === undefined) return 0;
    const content = kind === 'upload' || parts.includes('content') ? record.stat.size : 0;
    const others = attachments === null ? [] : record.attachments;
    return others.reduce((total, { stat }) => total + stat.size, content);
  }
}

/** An operation that sends nothing. */
const plain = {
  from: null,
  docId: null,
  sentAs: null,
  inDoubt: false,
  parts: [],
  sharing: null,
  attachments: null,
  code: null,
  message: null,
} satisfies Partial<PlannedOperation>;

/** What changes a record. */
const touching: ReadonlySet<PlannedOperation['kind']> = new Set(['upload', 'modify', 'bulk modify', 'move']);

/** A service that takes everything, sends nothing and remembers what it was asked; `find`: whose docId it is. */
function createPlanningService(find: (docId: string) => DocumentRef | undefined) {
  const operations: PlannedOperation[] = [];
  let requests = 0;

  function accept(docId: string | null, permit: Permit): Promise<FileOutcome> {
    requests += 1;
    permit.spent();
    return Promise.resolve({ outcome: { kind: 'accepted', docId, warning: null }, sent: unread });
  }

  function plan(
    kind: PlannedOperation['kind'],
    docId: string,
    { name, ...sent }: Partial<PlannedOperation> & { readonly name?: string } = {},
  ): void {
    const ref = find(docId) ?? { folder: '', path: '' };
    operations.push({ ...plain, kind, ...ref, docId, sentAs: sentAs(ref, name), ...sent });
  }

  const service: ServicePort = {
    // What it sends is in its record then.
    upload: (_, permit) => accept(`planned-${requests + 1}`, permit),
    modify: (request, permit) => {
      const attachments = request.attachments === null ? null : namesOf(request.attachments);
      plan('modify', request.docId, {
        parts: partsOf(request),
        sharing: sharingOf(request.metadata),
        attachments,
        ...(request.file === null ? {} : { name: request.file.name }),
      });
      return accept(request.docId, permit);
    },
    remove: ({ docId }, permit) => {
      plan('delete', docId);
      return accept(docId, permit);
    },
    bulkModify: ({ docIds, ...change }, permit) => {
      const sent = { parts: Object.keys(change), sharing: sharingOf(change) };
      for (const docId of docIds) plan('bulk modify', docId, sent);
      return accept(null, permit);
    },
    bulkRemove: ({ docIds }, permit) => {
      for (const docId of docIds) plan('bulk delete', docId);
      return accept(null, permit);
    },
  };
  return {
    ...service,
    operations: (): readonly PlannedOperation[] => operations,
    requests: () => requests,
  };
}

/** The bytes were not read: nobody will compare them. */
const unread: readonly SentContent[] = [{ sha256: '' }];

/** Null: under its own name. */
function sentAs({ path }: Pick<DocumentRef, 'path'>, name: string | undefined): string | null {
  return name === undefined || name === nameOf(path) ? null : name;
}

function sharingOf(change: Pick<Metadata, 'shareInfo'> | null): ShareMode | null {
  return change?.shareInfo === undefined ? null : modeOf(change);
}

function namesOf(files: readonly Pick<OutgoingFile, 'name'>[]): readonly string[] {
  return files.map(({ name }) => name);
}

function partsOf({ file, attachments, metadata }: ModifyRequest): readonly string[] {
  return [
    ...(file === null ? [] : ['content']),
    ...(attachments === null ? [] : ['attachments']),
    ...Object.keys(metadata ?? {}),
  ];
}
