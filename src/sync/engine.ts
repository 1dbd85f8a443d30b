import type { FolderListener } from '../model/ports/folder-port.ts';
import { isWithin } from '../lib/is-within.ts';
import type { Reason } from '../model/report/status.ts';
import { createAgenda } from './agenda.ts';
import { createDurableCommit } from './commit-durably.ts';
import { createDeletions } from './deletions.ts';
import { createDeliver } from './deliver.ts';
import { createDesk } from './desk.ts';
import type { Desk } from './desk.ts';
import { createDispatch } from './dispatch.ts';
import type { EngineOptions } from './engine-options.ts';
import { createGate } from './gate.ts';
import { createLooks } from './looks.ts';
import type { Looks } from './looks.ts';
import { createModifyMany } from './modify-many.ts';
import { createOutcomes } from './outcomes.ts';
import type { Parts } from './parts.ts';
import { createReconcile } from './reconcile.ts';
import type { Reconcile } from './reconcile.ts';
import { recoverUploads } from './recover-uploads.ts';
import { createRemove } from './remove.ts';
import { createDecide, createRetry } from './retry.ts';
import type { Decide, Retry } from './retry.ts';
import { createSend } from './send.ts';
import type { Phase, Task } from './task.ts';
import { createTell } from './tell-activity.ts';
import { createTotals } from './totals.ts';
import type { Totals } from './totals.ts';
import { createTransfers } from './transfers.ts';
import type { Transfers } from './transfers.ts';

/** Brings the service in line with the folders: sweeps in, requests out, every step durable. */
export interface Engine {
  readonly listener: (folder: string) => FolderListener;
  /** Settles what a crash left open. Call it before the folders start. */
  readonly recover: () => Promise<void>;
  /** Nothing settles, waits for a retry, is queued or under way. */
  readonly isIdle: () => boolean;
  readonly retry: Retry;
  readonly decide: Decide;
  readonly approve: (folder: string | null) => Promise<number>;
  /** A person fixed something outside: try everything that waits at once. */
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
    tell: createTell(options),
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

  return {
    listener: (folder) => ({
      directory: reconcile.directory,
      scanned: (summary) => {
        reconcile.swept(folder, summary);
        dispatch.pump();
        options.onChange();
      },
      changed: options.onChange,
    }),
    recover: () => recoverUploads(parts),
    isIdle,
    retry: createRetry(parts, { gate, pump: dispatch.pump }),
    decide: createDecide(parts, { pump: dispatch.pump }),
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
      if (!(await isWithin(clock, ms, ended)) && abort !== undefined) {
        abort();
        await isWithin(clock, abortedMs, ended);
      }
      durable.close();
    },
  };
}
