import { exitCodes } from '../model/errors.ts';
import type { Credentials, Settings } from '../model/settings.ts';
import type { FailureStatus, Status } from '../model/report/status.ts';
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
  readonly failures: readonly FailureStatus[];
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
  const isOver = () =>
    interrupted || daemon.engine.isIdle() || daemon.isRefused() || daemon.engine.isHopeless();
  const interruption = noteInterruption();
  async function noteInterruption(): Promise<void> {
    await signals.next();
    interrupted = true;
  }
  try {
    await Promise.race([daemon.start(), interruption]);
    while (!isOver()) {
      onProgress(progressOf(daemon.control.status()));
      await Promise.race([new Promise((resolve) => setTimeout(resolve, askMs)), interruption]);
    }
    onProgress(progressOf(daemon.control.status()));
    return report(daemon, interrupted);
  } finally {
    signals.close();
    await daemon.stop();
  }
}

function report(daemon: Daemon, interrupted: boolean): SyncReport {
  const status = daemon.control.status();
  const held = status.folders.reduce((total, one) => total + one.held, 0);
  const failed = status.failuresTotal;
  const unavailable = status.folders.some(({ state }) => state === 'unavailable');
  const { uploaded, modified, deleted, moved } = status.totals;
  const unfinished = failed > 0 || held > 0 || unavailable || interrupted || daemon.engine.isHopeless();
  const exitCode = unfinished ? exitCodes.unfinished : exitCodes.ok;
  return {
    exitCode: daemon.isRefused() ? exitCodes.credentials : exitCode,
    uploaded,
    modified,
    deleted,
    moved,
    failed,
    held,
    unsent: status.queue.pending + status.queue.inFlight,
    failures: status.failures,
  };
}

function progressOf(status: Status): SyncProgress {
  const done = status.totals.uploaded + status.totals.modified + status.totals.deleted + status.totals.moved;
  const left = status.queue.pending + status.queue.inFlight + status.queue.waiting;
  const underWay = status.transfers.reduce((total, one) => total + one.bytesTotal - one.bytesSent, 0);
  return {
    documentsTotal: done + left,
    documentsDone: done,
    bytesTotal: status.totals.bytesSent + underWay,
    bytesDone: status.totals.bytesSent,
    requestsLeftInMinute: status.rate.limit - status.rate.used,
    etaSeconds: status.queue.etaSeconds,
  };
}
