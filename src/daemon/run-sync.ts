import { aloneAfterMs, fleetTimes } from '../cluster/fleet-times.ts';
import { systemClock } from '../lib/time/clock.ts';
import { refKey } from '../model/document.ts';
import { exitCodes, unreadableNowCode } from '../model/errors.ts';
import type { Credentials, Settings } from '../model/settings.ts';
import { isFleetPaused } from '../model/report/fleet-pause.ts';
import { longestList } from '../model/report/status.ts';
import type { Reason } from '../model/report/status.ts';
import type { StateKind, Task } from '../sync/tasks/task.ts';
import type { Log } from '../log/create-log.ts';
import { openDaemon } from './open-daemon.ts';
import type { Daemon } from './assemble-daemon.ts';
import { createBlockedPatience } from './process/blocked-patience.ts';
import { withLease } from './process/join-cluster.ts';
import type { Place } from './process/join-cluster.ts';
import { listenForSignals } from './process/signals.ts';

/** How far one pass has come. */
export type SyncProgress = ReturnType<typeof progressOf>;

/** What one pass did. */
export type SyncReport = ReturnType<typeof report>;

interface SyncOptions {
  readonly settings: Settings;
  /** Null in embedded mode. */
  readonly credentials: Credentials | null;
  readonly credentialsAdvice: () => Promise<string>;
  readonly log: Log;
  /** True for the trial configuration that ships with ingestd: folders that were never there are made. */
  readonly makesFolders: boolean;
  readonly onProgress: (progress: SyncProgress) => void;
}

/** A request that fails is tried this often before its document is given up for this pass. */
const maxAttempts = 5;
const askMs = 100;

/** One pass: brings the service in line with the folders, then stops. */
export async function runSync(options: SyncOptions): Promise<SyncReport> {
  const { settings, credentials, log } = options;
  return withLease(
    {
      settings,
      username: credentials?.username ?? null,
      log,
      patienceMs: blockedMs(settings),
      advice: 'Stop ingestd there first.',
    },
    async (place, away) => (away === null ? syncOnce(options, place) : nothingDone(away)),
  );
}

/** Neither ledger nor folders were read: they may be another host's at this moment. */
function nothingDone(gaveUp: Reason): SyncReport {
  return {
    exitCode: exitCodes.unfinished,
    uploaded: 0,
    modified: 0,
    deleted: 0,
    moved: 0,
    failed: 0,
    held: 0,
    unsent: 0,
    inDoubt: 0,
    possibleDuplicates: 0,
    gaveUp,
    paused: [],
    fleetPaused: false,
    skipped: 0,
    failures: [],
    waiting: [],
    waitingTotal: 0,
    unavailable: [],
    unreadable: [],
  };
}

async function syncOnce(options: SyncOptions, place: Place | null): Promise<SyncReport> {
  const { settings, onProgress, ...rest } = options;
  const signals = listenForSignals();
  const daemon = await openDaemon({
    ...rest,
    settings,
    clock: systemClock,
    startedAt: new Date().toISOString(),
    maxAttempts,
    place,
  });
  // What is lost to another host is that host's to finish.
  let isLost = false;
  void place?.lease.lost.then(() => (isLost = true));
  let interrupted = false;
  const isDone = createCompletion(daemon);
  const patience = createPatience(daemon, settings);
  const blocked = createBlockedPatience(
    () => ({
      reasons: [...(place?.cluster.reasons() ?? []), ...daemon.engine.reasons()],
      requests: daemon.engine.totals.requests,
    }),
    blockedMs(settings),
  );
  const isOver = () =>
    interrupted ||
    isLost ||
    isDone() ||
    patience.isOver() ||
    daemon.isRefused() ||
    daemon.engine.isHopeless() ||
    blocked() !== null;
  const interruption = noteInterruption();
  async function noteInterruption(): Promise<void> {
    await signals.next();
    interrupted = true;
  }
  try {
    await Promise.race([daemon.start(), interruption]);
    while (!isOver()) {
      onProgress(progressOf(daemon));
      await Promise.race([new Promise((resolve) => setTimeout(resolve, askMs)), interruption]);
    }
    onProgress(progressOf(daemon));
    const gaveUp = blocked() ?? hopeless(daemon);
    await daemon.endRequests();
    return report(daemon, { patience, interrupted: interrupted || isLost, gaveUp });
  } finally {
    signals.close();
    await daemon.stop();
  }
}

/** Why the service takes nothing from this host, however long it is tried; null: nothing says so. */
function hopeless({ control, engine, isRefused }: Daemon): Reason | null {
  if (isRefused()) {
    const { reasons } = control.status();
    return reasons.find(({ code }) => code === 'credentials-refused') ?? null;
  }
  return engine.isHopeless() ? (engine.reasons()[0] ?? null) : null;
}

/** Everything that was found is decided: nothing moves, and no document waits for another file. */
function isDecided({ engine }: Daemon): boolean {
  return engine.isAtRest() && engine.tasks.in('waiting').size === 0 && !engine.folders.areSomeReadAgain();
}

/** Says when everything is decided that was there to be found, though some file may go on changing. */
function createCompletion(daemon: Daemon): () => boolean {
  let since: number | null = null;
  return () => {
    since = isDecided(daemon) ? (since ?? systemClock.monotonic()) : null;
    return since !== null && daemon.engine.folders.isCoveredUntil(since);
  };
}

/** How long `sync` waits where there is nothing to do but wait, ms. */
function patienceMs({ stopSeconds, settleMs, removeGraceMs }: Settings['timing']): number {
  return Math.max(stopSeconds * 1000, settleMs + removeGraceMs);
}

const onTheWay: readonly StateKind[] = ['ready', 'sending', 'retry'];
const working: readonly StateKind[] = [...onTheWay, 'grace'];
const waiting: readonly StateKind[] = ['settling', 'waiting'];
const inspecting: readonly StateKind[] = ['inspect', 'inspecting'];
/** What one pass delivered so often changes faster than it is sent: it is no longer waited for. */
const mostDeliveries = 3;
/** A removal past its grace is judged again within this, ms, where nothing stands in its way. */
const judgedWithinMs = 2_000;

type Patience = ReturnType<typeof createPatience>;

/**
 * Says whether there has been nothing to do for so long but wait for files that still change, or for other files. A
 * file that was waiting and is inspected once more is still waiting; so is a removal whose file may be one that still
 * changes, and a file that changes again as often as it is sent. `tasks`: what is still waited for.
 */
function createPatience({ engine, listen }: Daemon, { timing }: Settings) {
  const ms = patienceMs(timing);
  let since: number | null = null;
  const known = new Set<string>();
  const deliveries = new Map<string, number>();
  listen(({ what, folder, path }) => {
    if (what !== 'uploaded' && what !== 'modified') return;
    const key = refKey({ folder, path });
    deliveries.set(key, (deliveries.get(key) ?? 0) + 1);
  });
  const tasksIn = (kinds: readonly StateKind[]) => kinds.flatMap((kind) => [...engine.tasks.in(kind)]);
  const isEndless = ({ key, state, gone }: Task) => {
    if (state.kind !== 'grace') return (deliveries.get(key) ?? 0) >= mostDeliveries;
    const goneMs = systemClock.monotonic() - (gone?.since ?? Infinity);
    return goneMs >= timing.removeGraceMs + judgedWithinMs;
  };
  /** What cannot be read at the moment is waited for like a file that still changes. */
  const isUnread = ({ state }: Task) => state.kind === 'retry' && state.reason.code === unreadableNowCode;
  const isPaused = ({ ref, state }: Task) => state.kind === 'ready' && engine.paused().has(ref.folder);
  const isOver = () => {
    const areAllScanned = engine.folders.areAllScanned() && engine.backlogged() === 0;
    const isWaitedFor = (task: Task) => isEndless(task) || isPaused(task) || isUnread(task);
    const isAtWork = !areAllScanned || !tasksIn(working).every(isWaitedFor);
    if (isAtWork || tasksIn(inspecting).some((task) => !known.has(task.key) && !isEndless(task))) {
      since = null;
      known.clear();
    } else since ??= performance.now();
    const waits = isAtWork ? [] : [...tasksIn([...waiting, 'grace']), ...tasksIn(['retry']).filter(isUnread)];
    for (const { key } of waits) known.add(key);
    return since !== null && performance.now() - since >= ms;
  };
  const tasks = () => [
    ...tasksIn([...waiting, 'grace']),
    ...tasksIn(inspecting).filter((task) => known.has(task.key) || isEndless(task)),
    ...tasksIn(onTheWay).filter(isEndless),
  ];
  return { isOver, tasks };
}

/** With a share of its own for when Redis is away, until that would have begun; the host notices with a beat. */
function blockedMs({ timing, cluster }: Settings): number {
  return (
    patienceMs(timing) +
    (cluster !== null && cluster.aloneShare > 0 ? aloneAfterMs(fleetTimes) + fleetTimes.beatMs : 0)
  );
}

function waitsFor({ state, present }: Task): string {
  const reason = state.kind === 'waiting' || state.kind === 'settling' ? state.reason : undefined;
  if (reason !== undefined) return reason.message;
  if (present) return 'it is still changing';
  return 'its file is gone and may still come back';
}

function report(
  daemon: Daemon,
  {
    patience,
    interrupted,
    gaveUp,
  }: { readonly patience: Patience; readonly interrupted: boolean; readonly gaveUp: Reason | null },
) {
  const status = daemon.control.status();
  const held = status.held.reduce((total, { count }) => total + count, 0);
  const failed = status.failuresTotal;
  const { unavailable, unreadable } = daemon.unread();
  const { uploaded, modified, deleted, moved } = daemon.engine.totals;
  const later = patience.tasks();
  const counted = [...inspecting, ...onTheWay];
  const named = later.filter(({ state, present }) => present && counted.includes(state.kind)).length;
  const unsent = Math.max(0, status.queue.pending + status.queue.inFlight - named);
  const unfinished =
    !isDecided(daemon) ||
    failed + held + unsent + unavailable.length + unreadable.length > 0 ||
    interrupted ||
    gaveUp !== null ||
    daemon.engine.isHopeless();
  const exitCode = unfinished ? exitCodes.unfinished : exitCodes.ok;
  return {
    exitCode: daemon.isRefused() ? exitCodes.credentials : exitCode,
    uploaded,
    modified,
    deleted,
    moved,
    failed,
    held,
    /** Documents that were not tried, or not to the end, before it gave up or was interrupted. */
    unsent,
    /** Uploads whose answer never came, and that the next pass or a person is to settle. */
    inDoubt: status.possibleDuplicates - status.recordedDuplicates,
    /** Further copies of documents that the service may hold because answers were lost, of whatever pass. */
    possibleDuplicates: status.recordedDuplicates,
    /** Names of folders of which nothing was sent, because they are paused. */
    paused: status.paused,
    /** A person has paused all hosts of the fleet: `paused` names all folders. */
    fleetPaused: isFleetPaused(status.reasons),
    /** Files that are no documents that can be sent: `ingestd check` lists them. */
    skipped: status.skippedTotal,
    failures: status.failures,
    /**
     * Documents that still change, that wait for a sidecar or an attachment, or of which it is not certain that they
     * are gone.
     */
    waiting: later.slice(0, longestList).map((task) => ({ ...task.ref, message: waitsFor(task) })),
    waitingTotal: later.length,
    /**
     * Why the pass was given up: no host of the fleet, or not this one, could send, the ledger could not be written, the
     * credentials were refused, or the service could not be reached; null: it was not.
     */
    gaveUp,
    unavailable,
    unreadable,
  };
}

function progressOf({ engine, control }: Daemon) {
  const status = control.status();
  const { uploaded, modified, deleted, moved, bytesSent } = engine.totals;
  const done = uploaded + modified + deleted + moved;
  const left = status.queue.pending + status.queue.inFlight + status.queue.waiting;
  const underWay = status.transfers.reduce((total, one) => total + one.bytesTotal - one.bytesSent, 0);
  return {
    documentsTotal: done + left,
    documentsDone: done,
    bytesTotal: bytesSent + underWay,
    bytesDone: bytesSent,
    requestsLeftInMinute: status.rate.limit - status.rate.used,
    etaSeconds: status.queue.etaSeconds,
  };
}
