import type { Clock } from '../core/clock.ts';
import type { FolderListener } from '../core/folder-port.ts';
import type { LedgerPort } from '../core/ledger-port.ts';
import type { LogPort } from '../core/log-port.ts';
import type { MetricsPort } from '../core/metrics-port.ts';
import type { LimiterPort, ServicePort } from '../core/service-port.ts';
import type { SafetySettings, ServiceSettings, TimingSettings } from '../core/settings.ts';
import type { Activity, Reason } from '../core/status.ts';
import { createAgenda } from './agenda.ts';
import { createDurableCommit } from './commit-durably.ts';
import { createDeletions } from './deletions.ts';
import { createDeliver } from './deliver.ts';
import { createDesk } from './desk.ts';
import type { Desk } from './desk.ts';
import { createDispatch } from './dispatch.ts';
import { createGate } from './gate.ts';
import { createLooks } from './looks.ts';
import type { Looks } from './looks.ts';
import { createModifyMany } from './modify-many.ts';
import { createOutcomes } from './outcomes.ts';
import type { EngineFolder, Parts } from './parts.ts';
import { createReconcile } from './reconcile.ts';
import type { Reconcile } from './reconcile.ts';
import { recoverUploads } from './recover-uploads.ts';
import { createRemove } from './remove.ts';
import { createRetry } from './retry.ts';
import type { Retry } from './retry.ts';
import { createSend } from './send.ts';
import type { Phase, Task } from './task.ts';
import { createTotals } from './totals.ts';
import type { Totals } from './totals.ts';
import { createTransfers } from './transfers.ts';
import type { Transfers } from './transfers.ts';

export interface EngineOptions {
  readonly clock: Clock;
  readonly log: LogPort;
  readonly ledger: LedgerPort;
  readonly folders: readonly EngineFolder[];
  readonly limiter: LimiterPort;
  readonly service: ServicePort;
  readonly metrics: MetricsPort;
  readonly settings: {
    readonly service: ServiceSettings;
    readonly timing: TimingSettings;
    readonly safety: SafetySettings;
  };
  /** How long the token endpoint is left alone, ms. */
  readonly authRestMs: () => number;
  /** `sync` gives up after this many attempts; null: never. */
  readonly maxAttempts: number | null;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly onActivity: (activity: Activity) => void;
  /** Something that status shows has changed. */
  readonly onChange: () => void;
}

/** Brings the service in line with the folders: sweeps in, requests out, every step durable. */
export interface Engine {
  readonly listener: (folder: string) => FolderListener;
  /** Settles what a crash left open. Call it before the folders start. */
  readonly recover: () => Promise<void>;
  /** Nothing settles, waits for a retry, is queued or under way. */
  readonly isIdle: () => boolean;
  readonly retry: Retry;
  readonly approve: (folder: string | null) => Promise<number>;
  /** A person mended something outside: try everything that waits at once. */
  readonly kick: () => void;
  readonly reasons: () => readonly Reason[];
  /**
   * For `sync`: going on is of no use. The address is wrong, as far as the last answer tells, or `maxAttempts` requests
   * in a row, of whatever documents, met no service.
   */
  readonly isHopeless: () => boolean;
  readonly desk: Desk;
  readonly reconcile: Reconcile;
  readonly totals: Totals;
  readonly transfers: Transfers;
  readonly inFlight: () => number;
  /**
   * Lets requests under way end, at most `ms`; then `abort` ends them, and what came of them is written down: what was
   * not sent to its last byte is in nobody's doubt. Commits no more after that.
   */
  readonly stop: (ms: number, abort?: () => void) => Promise<void>;
}

/** Reasons that end by themselves. */
const passing: ReadonlySet<string> = new Set(['service-unavailable', 'rate-limited']);

/** A network drive that hangs is swept by nobody, and must not stop what is in other folders. */
const otherFoldersMs = 10 * 60_000;

/** Writing down what came of requests that were ended takes no longer, unless the disk takes nothing. */
const abortedMs = 2_000;

export function createEngine(options: EngineOptions): Engine {
  const { clock, log, ledger, limiter, metrics } = options;
  const byName = new Map(options.folders.map((folder) => [folder.settings.name, folder]));
  const begun = clock.monotonic();
  const totals = createTotals();
  const transfers = createTransfers();
  const desk = createDesk({
    ledger,
    monotonic: clock.monotonic,
    changed: (task, before) => {
      options.onChange();
      // Room for one more of a backlog that waits unread.
      if (before !== 'ready' || (task.phase === 'ready' && desk.get(task.ref) === task)) return;
      dispatch.leave(task);
      looks.resume();
    },
  });
  const durable = createDurableCommit({
    ledger,
    clock,
    log,
    changed: () => {
      options.onChange();
      dispatch.pump();
    },
  });
  const gate = createGate({
    clock,
    log,
    random: options.random,
    restMs: options.authRestMs,
    changed: options.onChange,
  });
  const agenda = createAgenda(clock, look);
  const parts: Parts = {
    clock,
    log,
    desk,
    ledger,
    folder: (name) => byName.get(name),
    service: options.settings.service,
    timing: options.settings.timing,
    safety: options.settings.safety,
    totals,
    commit: durable.commit,
    moving: new Set(),
    look,
    tell,
  };
  const reconcile = createReconcile(parts);
  const folders = (): readonly string[] => [...byName.keys()];
  const deletions = createDeletions(parts, { reconcile, wakeAt, folders });
  const looks: Looks = createLooks(parts, {
    deletions: () => deletions,
    ready: (task, operation, bulkKey) => dispatch.add(task, operation, bulkKey),
    wakeAt,
    quiet: () => dispatch.pump(),
  });
  const outcomes = createOutcomes(parts, {
    gate,
    wakeAt,
    random: options.random,
    maxAttempts: options.maxAttempts,
  });
  const send = createSend(parts, { commit: durable, gate, transfers, metrics });
  const tools = { service: options.service, send, outcomes };
  const deliver = createDeliver(parts, tools);
  const dispatch = createDispatch(parts, {
    limiter,
    gate,
    commit: durable,
    looks: () => looks,
    metrics,
    mayUpload,
    upload: deliver.upload,
    modify: deliver.modify,
    remove: createRemove(parts, { ...tools, deletions, gate }).remove,
    modifyMany: createModifyMany(parts, { ...tools, recordModify: deliver.recordModify }),
  });

  function look(task: Task): void {
    if (task.phase === 'looking' || desk.get(task.ref) !== task) {
      desk.change(task, { again: true });
      return;
    }
    desk.change(task, { phase: 'look', due: null, operation: null, again: false });
    looks.add(task);
  }

  function wakeAt(task: Task, phase: Phase, ms: number): void {
    desk.change(task, { phase, due: clock.monotonic() + Math.max(1, ms), operation: null });
    agenda.add(task);
  }

  /** What is new here may be gone there: the other folders are waited for, and not for ever. */
  function mayUpload(folder: string): boolean {
    const isPatient = clock.monotonic() - begun < otherFoldersMs;
    return options.folders.every(
      ({ settings: { name }, port }) =>
        reconcile.isSwept(name) || port.health().state === 'unavailable' || (name !== folder && !isPatient),
    );
  }

  function tell(activity: Parameters<Parts['tell']>[0]): void {
    const whole = { documents: 1, ...activity, at: new Date(clock.now()).toISOString() };
    const { what, at: _, documents, message, docId, ...where } = whole;
    const line = { ...where, ...(docId === null ? {} : { docId }), ...(message === null ? {} : { message }) };
    if (what === 'failed' || what === 'held' || what === 'in doubt' || what === 'warning') {
      log.warn(documents === 1 ? line : { ...line, documents }, what);
    } else log.info(line, what);
    options.onActivity(whole);
  }

  function isIdle(): boolean {
    const moving: readonly Phase[] = ['look', 'looking', 'ready', 'sending', 'settling', 'grace', 'retry'];
    if (moving.some((phase) => desk.inPhase(phase).size > 0) || dispatch.inFlight() > 0) return false;
    return options.folders.every(({ settings, port }) => {
      const health = port.health();
      if (health.state === 'unavailable') return true;
      return !health.busy && reconcile.isSwept(settings.name);
    });
  }

  /** An outage that nothing waits for is none that anybody knows of: what has to be sent next finds out. */
  function gateReasons(): readonly Reason[] {
    const reasons = gate.reasons();
    return reasons.length > 0 && isIdle() ? reasons.filter(({ code }) => !passing.has(code)) : reasons;
  }

  async function isWithin(ms: number, ended: Promise<unknown>): Promise<boolean> {
    let cancel = () => {};
    const timeUp = new Promise<false>((resolve) => {
      cancel = clock.after(ms, () => resolve(false));
    });
    const isEnded = await Promise.race([ended.then(() => true), timeUp]);
    cancel();
    return isEnded;
  }

  return {
    listener: (folder) => ({
      directory: reconcile.directory,
      swept: (summary) => {
        reconcile.swept(folder, summary);
        dispatch.pump();
        options.onChange();
      },
      changed: options.onChange,
    }),
    recover: () => recoverUploads(parts),
    isIdle,
    retry: createRetry(parts, { gate, pump: dispatch.pump }),
    approve: deletions.approve,
    kick: () => {
      gate.open();
      for (const task of Array.from(desk.inPhase('retry'))) look(task);
      dispatch.pump();
    },
    isHopeless: () =>
      gate.isMisaddressed() ||
      (options.maxAttempts !== null && gate.unansweredInARow() >= options.maxAttempts),
    reasons: () => [...gateReasons(), ...[durable.trouble()].filter((reason) => reason !== null)],
    desk,
    reconcile,
    totals,
    transfers,
    inFlight: dispatch.inFlight,
    stop: async (ms, abort) => {
      looks.stop();
      agenda.close();
      const ended = Promise.all([dispatch.stop(), looks.whenStopped()]);
      if (!(await isWithin(ms, ended)) && abort !== undefined) {
        abort();
        await isWithin(abortedMs, ended);
      }
      durable.close();
    },
  };
}
