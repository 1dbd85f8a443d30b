import { systemClock } from '../lib/time/clock.ts';
import { sumOf } from '../lib/sum-of.ts';
import { countWords, localTime } from '../lib/text/amounts.ts';
import { printable } from '../lib/text/printable.ts';
import { refKey } from '../model/document.ts';
import { exitCodes, unreadableNowCode } from '../model/errors.ts';
import type { Settings } from '../model/settings.ts';
import { needsPerson, sortFailures } from '../model/report/failures.ts';
import { isFleetPaused } from '../model/report/fleet-pause.ts';
import { emptyStatus, longestList, noTotals } from '../model/report/status.ts';
import type { FailureStatus, Reason, Status } from '../model/report/status.ts';
import type { UnreadPlaces } from '../model/report/command-reports.ts';
import { isAttached } from '../sync/tasks/task.ts';
import type { StateKind, Task } from '../sync/tasks/task.ts';
import type { Log } from '../log/create-log.ts';
import { openDaemon } from './open-daemon.ts';
import type { Daemon } from './assemble-daemon.ts';
import { blockedBy, createStopwatch, patienceMs } from './process/patience.ts';
import { withLease } from './process/join-cluster.ts';
import type { Place } from './process/join-cluster.ts';
import type { Reloaded } from './process/obey-signals.ts';
import { listenForSignals } from './process/signals.ts';

/** How far one pass has come. */
export type SyncProgress = ReturnType<typeof progressOf>;

/** What one pass did. */
export type SyncReport = ReturnType<typeof report>;

interface SyncOptions extends Pick<
  Reloaded,
  'settings' | 'credentials' | 'credentialsAdvice' | 'makesFolders'
> {
  readonly log: Log;
  readonly onProgress: (progress: SyncProgress) => void;
}

/** A document is tried this often before it is given up for this pass. */
const maxAttempts = 5;
const askMs = 100;

/** One pass: brings the service in line with the folders, then stops. */
export async function runSync(options: SyncOptions): Promise<SyncReport> {
  const { settings, credentials, log } = options;
  const username = credentials?.username ?? '';
  return withLease({ settings, username, log, sends: true }, async (place, away) =>
    away === null ? syncOnce(options, place) : nothingDone(away),
  );
}

/** Neither ledger nor folders were read: they may be another host's at this moment. */
function nothingDone(gaveUp: Reason): SyncReport {
  return report({
    status: { ...emptyStatus(0), reasons: [], folders: [] },
    totals: noTotals,
    unread: { unavailable: [], unreadable: [] },
    isDone: false,
    later: [],
    gaveUp,
  });
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
  daemon.timeline.started();
  // What is lost to another host is that host's to finish.
  let isLost = false;
  void place?.lease?.lost.then(() => (isLost = true));
  let interrupted = false;
  const endOfPass = createEndOfPass(daemon, settings, () => [
    ...(place?.reasons() ?? []),
    ...daemon.engine.reasons(),
  ]);
  const interruption = noteInterruption();
  async function noteInterruption(): Promise<void> {
    await signals.next();
    interrupted = true;
  }
  try {
    await Promise.race([daemon.start(), interruption]);
    let end = null as ReturnType<typeof endOfPass.now>;
    const isOver = () => interrupted || isLost || (end = endOfPass.now()) !== null;
    let said = null as string | null;
    while (!isOver()) {
      const waits = endOfPass.waits();
      if (waits !== null && waits !== said) rest.log.info({}, waits);
      said = waits;
      onProgress(progressOf(daemon, waits));
      await Promise.race([new Promise((resolve) => setTimeout(resolve, askMs)), interruption]);
    }
    onProgress(progressOf(daemon, null));
    await daemon.endRequests();
    return report({
      status: daemon.control.status(),
      totals: daemon.engine.totals,
      unread: daemon.unread(),
      isDone: isDecided(daemon) && !daemon.engine.isHopeless() && !interrupted && !isLost,
      later: endOfPass.waitedFor(),
      gaveUp: end?.gaveUp ?? null,
    });
  } finally {
    signals.close();
    await daemon.stop({ goesOn: isLost });
  }
}

/** Everything that was found is decided: nothing moves, and no document waits for another file. */
function isDecided({ engine }: Daemon): boolean {
  const isWaiting = [...engine.tasks.in('waiting')].some((task) => !isAttached(task));
  return engine.isAtRest() && !isWaiting && !engine.folders.areSomeReadAgain();
}

/** A document that was delivered so often in one pass changes faster than it is sent: it is no longer waited for. */
const mostDeliveries = 3;
/** A wait is said when it lasts longer than a file takes to settle, and so much more. */
const usualMs = 1_000;
/** A removal past its grace is judged again within this, ms, where nothing stands in its way. */
const judgedWithinMs = 2_000;
const inspected: readonly StateKind[] = ['inspect', 'inspecting'];
const onTheWay: readonly StateKind[] = ['ready', 'sending', 'retry'];
const waiting: readonly StateKind[] = ['settling', 'waiting', 'grace'];

/**
 * Says whether one pass is over (`now`; null: it goes on) and what it still waited for. It is over when everything is
 * decided that was there to be found, when the service accepts nothing however long it is tried, or when there has been
 * nothing to do for so long but wait: for files that still change, for other files, or for whatever keeps this host from
 * sending.
 */
function createEndOfPass(daemon: Daemon, settings: Settings, reasons: () => readonly Reason[]) {
  const { engine, control } = daemon;
  const lasting = createStopwatch();
  const deliveries = new Map<string, number>();
  daemon.listen(({ what, folder, path }) => {
    if (what !== 'uploaded' && what !== 'modified') return;
    const key = refKey({ folder, path });
    deliveries.set(key, (deliveries.get(key) ?? 0) + 1);
  });
  const patience = patienceMs(settings.timing);
  let waits: string | null = null;
  const tasks = (kinds: readonly StateKind[]) => kinds.flatMap((kind) => [...engine.tasks.in(kind)]);
  const waitedFor = () =>
    [...tasks(waiting), ...tasks([...inspected, ...onTheWay]).filter(isEndless)].filter(
      (task) => !isAttached(task),
    );
  return {
    now,
    waitedFor,
    /** For what it waits, and until when; null: it works, or waits no longer than a file that was just saved. */
    waits: () => waits,
  };

  /** `gaveUp`: why it was given up; null: it was not. */
  function now(): { readonly gaveUp: Reason | null } | null {
    if (daemon.isRefused()) {
      // What is there is counted as what it is.
      if (!isFound() && lasting('refused') < patience) return null;
      const refused = control.status().reasons.find(({ code }) => code === 'credentials-refused');
      return { gaveUp: refused ?? null };
    }
    if (engine.isHopeless()) return { gaveUp: engine.reasons()[0] ?? null };
    if (isDecided(daemon)) {
      const since = systemClock.monotonic() - lasting('decided');
      return engine.folders.isCoveredUntil(since) ? { gaveUp: null } : null;
    }
    const gaveUp = blockedBy(reasons());
    const isBlocked = gaveUp !== null;
    if (!isBlocked && !hasOnlyToWait()) {
      lasting('working');
      waits = null;
      return null;
    }
    const ms = lasting(isBlocked ? `blocked after ${engine.totals.requests} requests` : 'waiting');
    if (!isBlocked && ms > settings.timing.settleMs + usualMs) waits ??= waitWords(patience - ms);
    return ms >= patience ? { gaveUp: gaveUp ?? engine.reasons()[0] ?? null } : null;
  }

  function waitWords(ms: number): string | null {
    const [first, ...others] = waitedFor();
    if (first === undefined) return null;
    const more = others.length === 0 ? '' : ` and ${countWords(others.length, 'other document')}`;
    const until = localTime(systemClock.now() + ms).slice('2026-01-31 '.length);
    return `waiting until ${until} for ${printable(refKey(first.ref))}${more}: ${waitsFor(first)}`;
  }

  /** Everything is scanned, and what was taken up is judged. */
  function isFound(): boolean {
    return engine.folders.areAllScanned() && tasks([...inspected, 'grace']).length === 0;
  }

  /** Everything is scanned, and every document waits for something that this pass cannot bring about. */
  function hasOnlyToWait(): boolean {
    if (!engine.folders.areAllScanned() || engine.backlogged() > 0) return false;
    return tasks([...inspected, ...onTheWay, 'grace']).every((task) => {
      const { state, ref, attempts } = task;
      if (attempts >= maxAttempts || (state.kind === 'ready' && engine.paused().has(ref.folder))) return true;
      if (state.kind === 'retry' && state.reason.code === unreadableNowCode) return true;
      return isEndless(task);
    });
  }

  /**
   * It changes again as often as it is sent; or it waited, or failed, and is inspected once more; or it is gone past its
   * grace, and may be a file that still changes.
   */
  function isEndless({ key, state, gone, waitedFor, reported }: Task): boolean {
    const isOften = (deliveries.get(key) ?? 0) >= mostDeliveries;
    if (onTheWay.includes(state.kind)) return isOften;
    if (gone === null) return isOften || waitedFor !== null || reported !== null;
    return systemClock.monotonic() - gone.since >= settings.timing.removeGraceMs + judgedWithinMs;
  }
}

function waitsFor({ state, present }: Task): string {
  const reason = state.kind === 'waiting' || state.kind === 'settling' ? state.reason : undefined;
  if (reason !== undefined) return reason.message;
  if (present) return 'it is still changing';
  return 'its file is gone and may still come back';
}

interface EndOfPass {
  readonly status: Pick<Status, keyof ReturnType<typeof emptyStatus> | 'reasons' | 'folders'>;
  readonly totals: Pick<Status['totals'], 'uploaded' | 'modified' | 'deleted' | 'moved'>;
  readonly unread: UnreadPlaces;
  /** Everything that was found is decided. */
  readonly isDone: boolean;
  readonly later: readonly Task[];
  readonly gaveUp: Reason | null;
}

function report({ status, totals, unread, isDone, later, gaveUp }: EndOfPass) {
  const held = sumOf(status.held, ({ count }) => count);
  // What cannot be read at the moment is no matter of the service's: it is named.
  const isNamed = (one: FailureStatus) => needsPerson(one) || one.code === unreadableNowCode;
  const failures = status.failures.filter(isNamed);
  const unreadFiles = failures.filter((one) => !needsPerson(one)).length;
  const failed =
    sortFailures(status).failedTotal + unreadFiles + sumOf(status.folders, ({ inDoubt }) => inDoubt);
  const { unavailable, unreadable } = unread;
  const isAway = (one: { folder: string }) => unavailable.some(({ folder }) => folder === one.folder);
  const { uploaded, modified, deleted, moved } = totals;
  // Those that wait are counted as waiting.
  const named = later.filter(({ state, present }) => present && !waiting.includes(state.kind)).length;
  const { pending, inFlight, deletionsToRetry = 0 } = status.queue;
  const toRetry = status.waitingFor.retry + deletionsToRetry;
  // What may have arrived is among the uploads in doubt.
  const doubtful = sumOf(status.folders, (one) => one.pendingInDoubt + one.retriedInDoubt);
  const unsent = Math.max(0, pending + inFlight + toRetry - named - doubtful - unreadFiles);
  const unfinished =
    !isDone || failed + held + unsent + unavailable.length + unreadable.length > 0 || gaveUp !== null;
  const exitCode = unfinished ? exitCodes.unfinished : exitCodes.ok;
  return {
    exitCode: status.auth.state === 'refused' ? exitCodes.credentials : exitCode,
    uploaded,
    modified,
    deleted,
    moved,
    failed,
    held,
    /** Of these, those of folders that are unavailable: nobody can approve them yet. */
    heldAway: sumOf(status.held.filter(isAway), ({ count }) => count),
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
    pause: status.reasons.find(({ code }) => code === 'paused' || code === 'fleet-paused') ?? null,
    /** Files that are no documents that can be sent: `ingestd check` lists them. */
    skipped: status.skippedTotal,
    failures,
    /** Documents that still change, that wait for a sidecar or an attachment, or that may be gone, or not. */
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

function progressOf({ engine, control }: Daemon, waits: string | null) {
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
    waits,
  };
}
