import { exitCodes } from '../model/errors.ts';
import type { Credentials, Settings } from '../model/settings.ts';
import type { FailureStatus } from '../model/report/status.ts';
import type { StateKind, Task } from '../sync/tasks/task.ts';
import type { Log } from '../log/create-log.ts';
import { composeDaemon } from './compose.ts';
import type { Daemon } from './assemble-daemon.ts';
import { listenForSignals } from './process/signals.ts';
import { systemClock } from './system-clock.ts';

/** How far one pass has come. */
export interface SyncProgress {
  readonly documentsTotal: number;
  readonly documentsDone: number;
  readonly bytesTotal: number;
  readonly bytesDone: number;
  readonly requestsLeftInMinute: number;
  readonly etaSeconds: number;
}

/** What one pass did. */
export interface SyncReport {
  readonly exitCode: number;
  readonly uploaded: number;
  readonly modified: number;
  readonly deleted: number;
  readonly moved: number;
  readonly failed: number;
  readonly held: number;
  /** Documents that were not tried, or not to the end, before it gave up or was interrupted. */
  readonly unsent: number;
  /** Files that are no documents that can be sent: `ingestd check` lists them. */
  readonly skipped: number;
  readonly failures: readonly FailureStatus[];
  /** Documents that still change, or that wait for a sidecar or an attachment. */
  readonly waiting: readonly WaitingDocument[];
  readonly waitingTotal: number;
  /** Folders that cannot be read, with the reason. */
  readonly unavailable: readonly { readonly folder: string; readonly message: string }[];
}

/** A document that was found and is not ready to be sent. */
interface WaitingDocument {
  readonly folder: string;
  readonly path: string;
  readonly message: string;
}

interface SyncOptions {
  readonly settings: Settings;
  /** Null in embedded mode. */
  readonly credentials: Credentials | null;
  readonly log: Log;
  readonly onProgress: (progress: SyncProgress) => void;
}

/** A request that fails is tried this often before its document is given up for this pass. */
const maxAttempts = 5;
const askMs = 100;
const longestList = 1_000;

/** One pass: brings the service in line with the folders, then stops. */
export async function runSync({ settings, credentials, log, onProgress }: SyncOptions): Promise<SyncReport> {
  const signals = listenForSignals();
  const daemon = await composeDaemon({
    settings,
    credentials,
    log,
    clock: systemClock,
    startedAt: new Date().toISOString(),
    maxAttempts,
  });
  let interrupted = false;
  const patience = createPatience(daemon, patienceMs(settings));
  const isOver = () =>
    interrupted || isDone(daemon) || patience.isOver() || daemon.isRefused() || daemon.engine.isHopeless();
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
    return report(daemon, patience, interrupted);
  } finally {
    signals.close();
    await daemon.stop();
  }
}

/** Nothing moves, and no document waits for another file. */
function isDone({ engine }: Daemon): boolean {
  return engine.isIdle() && engine.tasks.in('waiting').size === 0;
}

/** Contract section 7, 26. */
function patienceMs({ timing: { stopSeconds, settleMs, removeGraceMs } }: Settings): number {
  return Math.max(stopSeconds * 1000, settleMs + removeGraceMs);
}

const working: readonly StateKind[] = ['ready', 'sending', 'retry', 'grace'];
const waiting: readonly StateKind[] = ['settling', 'waiting'];
const inspecting: readonly StateKind[] = ['inspect', 'inspecting'];

interface Patience {
  readonly isOver: () => boolean;
  /** What is still waited for. */
  readonly tasks: () => readonly Task[];
}

/**
 * Says whether there has been nothing to do for so long but wait for files that still change, or for other files. A file
 * that was waiting and is inspected once more is still waiting.
 */
function createPatience({ engine }: Daemon, ms: number): Patience {
  let since: number | null = null;
  const known = new Set<string>();
  const tasksIn = (kinds: readonly StateKind[]) => kinds.flatMap((kind) => [...engine.tasks.in(kind)]);
  const isOver = () => {
    const isScanned = engine.isScanned() && engine.tasks.backlog.size === 0;
    const isAtWork = !isScanned || working.some((kind) => engine.tasks.in(kind).size > 0);
    if (isAtWork || tasksIn(inspecting).some(({ key }) => !known.has(key))) {
      since = null;
      known.clear();
    } else since ??= performance.now();
    for (const { key } of isAtWork ? [] : tasksIn(waiting)) known.add(key);
    return since !== null && performance.now() - since >= ms;
  };
  const tasks = () => [...tasksIn(waiting), ...tasksIn(inspecting).filter(({ key }) => known.has(key))];
  return { isOver, tasks };
}

function waitingDocuments(patience: Patience): readonly WaitingDocument[] {
  const message = 'it changed a moment ago, or is still being written';
  return patience
    .tasks()
    .filter(({ present }) => present)
    .map((task) => ({
      ...task.ref,
      message: task.state.kind === 'waiting' ? task.state.reason.message : message,
    }));
}

function report(daemon: Daemon, patience: Patience, interrupted: boolean): SyncReport {
  const status = daemon.control.status();
  const held = status.folders.reduce((total, one) => total + one.held, 0);
  const failed = status.failuresTotal;
  const unavailable = daemon.unavailable();
  const { uploaded, modified, deleted, moved } = daemon.engine.totals;
  const later = waitingDocuments(patience);
  const inspected = patience.tasks().filter(({ state }) => inspecting.includes(state.kind)).length;
  const unsent = Math.max(0, status.queue.pending + status.queue.inFlight - inspected);
  const unfinished =
    failed + held + unsent + later.length + unavailable.length > 0 ||
    interrupted ||
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
    unsent,
    skipped: status.skippedTotal,
    failures: status.failures,
    waiting: later.slice(0, longestList),
    waitingTotal: later.length,
    unavailable,
  };
}

function progressOf({ engine, control }: Daemon): SyncProgress {
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
