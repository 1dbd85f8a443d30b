import PQueue from 'p-queue';

import { sameStamp } from '../model/document.ts';
import type { FoundDocument } from '../model/document.ts';
import { errorMessage } from '../model/errors.ts';
import { createLanes } from '../lib/priority-queue.ts';
import type { Failure } from '../model/ports/ledger-port.ts';
import { assess } from './assess.ts';
import type { Deletions } from './deletions.ts';
import type { Parts } from './parts.ts';
import type { Task } from './task.ts';

/** Looks at what differs, a small window at a time, and passes on what has to be sent. */
export interface Looks {
  readonly add: (task: Task) => void;
  /** Nothing waits to be looked at but what has to wait for room. */
  readonly isQuiet: () => boolean;
  readonly resume: () => void;
  readonly whenStopped: () => Promise<void>;
  readonly stop: () => void;
}

interface Tools {
  readonly deletions: () => Deletions;
  readonly ready: (task: Task, operation: 'upload' | 'modify' | 'delete', bulkKey: string | null) => void;
  readonly wakeAt: (task: Task, phase: 'settling' | 'paired' | 'grace', ms: number) => void;
  readonly quiet: () => void;
}

const concurrency = 8;
/** So many new documents are looked at ahead of their turn; the others wait unread. */
const aheadOfTurn = 1_000;

/** A place that cannot be read is looked at again after this, then after twice that, up to the time of a poll. */
const firstUnreadMs = 1_000;

export function createLooks(parts: Parts, tools: Tools): Looks {
  const { desk, ledger, log } = parts;
  const waiting = createLanes<Task>();
  const backlog = createLanes<Task>();
  const queue = new PQueue({ concurrency });
  /** How long each place that cannot be read was left alone last, ms. */
  const unreadFor = new WeakMap<Task, number>();
  let stopped = false;

  /** New documents that nothing can be saved for wait until there is room; all others may need no request at all. */
  function isPlainNewcomer(task: Task): boolean {
    return (
      task.present &&
      !task.hasRecord &&
      task.lane === 'backlog' &&
      (task.stamp === null || ledger.findByInode(task.stamp.ino).length === 0) &&
      (task.stamp === null || !desk.isMissingOfSize(task.stamp.size))
    );
  }

  function isTaking(): boolean {
    return !stopped && queue.size + queue.pending < concurrency * 2;
  }

  function feed(): void {
    while (isTaking()) {
      const room = desk.inPhase('ready').size < aheadOfTurn;
      const entry = waiting.take() ?? (room ? backlog.take() : null);
      if (entry === null) break;
      const task = entry.value;
      if (desk.get(task.ref) !== task || task.phase !== 'look') continue;
      desk.change(task, { phase: 'looking', again: false });
      void queue.add(() => lookAt(task)).finally(feed);
    }
    if (queue.size + queue.pending === 0 && waiting.size() === 0) tools.quiet();
  }

  async function lookAt(task: Task): Promise<void> {
    try {
      await judge(task);
    } catch (error) {
      if (stopped) return;
      log.error(
        { folder: task.ref.folder, path: task.ref.path, error: errorMessage(error) },
        'a look went wrong',
      );
      tools.wakeAt(task, 'settling', 5_000);
    }
    if (task.again && desk.get(task.ref) === task && task.phase !== 'sending') {
      desk.change(task, { phase: 'look', again: false, due: null });
      add(task);
    }
  }

  async function judge(task: Task): Promise<void> {
    const found = await assess(parts, task);
    if (stopped || desk.get(task.ref) !== task) return;
    switch (found.kind) {
      case 'send': {
        await leaveHold(task);
        const refused = refusedAsItStands(task, found.compared.document);
        if (refused !== null) {
          const { code, message, attempts } = refused;
          desk.change(task, { phase: 'failed', code, message, attempts, recorded: true, due: null });
          return;
        }
        const bulk = found.operation.kind === 'modify' && !task.single ? found.operation.bulk : null;
        tools.ready(task, found.operation.kind, bulk?.key ?? null);
        return;
      }
      case 'settled':
        await clearFailure(task);
        if (!task.again) desk.close(task);
        await tools.deletions().settle(task);
        return;
      case 'unknown':
        lookLater(task, found);
        return;
      case 'nothing':
        await clearFailure(task, found.device);
        if (!task.again) desk.close(task);
        return;
      case 'gone':
        if (await tools.deletions().admit(task, found.device)) tools.ready(task, 'delete', 'delete');
        return;
      case 'later':
        await leaveHold(task);
        desk.change(task, { present: true, code: found.code, message: found.message });
        if (found.againMs === null) desk.change(task, { phase: found.phase, due: null });
        else tools.wakeAt(task, found.phase, found.againMs);
        return;
      case 'unfit':
        await leaveHold(task);
        // What the service said of other bytes is no longer what is wrong with it.
        if (ledger.failure(task.ref)?.code !== found.code) await clearFailure(task);
        sayUnfit(task, found);
        desk.change(task, {
          phase: 'failed',
          present: true,
          code: found.code,
          message: found.message,
          attempts: Math.max(1, task.attempts),
          due: null,
        });
        return;
      case 'dormant':
        await clearFailure(task, found.device);
        desk.change(task, {
          phase: 'dormant',
          present: false,
          code: found.code,
          message: found.message,
          due: null,
        });
        await tools.deletions().settle(task);
    }
  }

  /** A place that could not be read for a moment. Of a whole folder that cannot, a sweep tells when it is back. */
  function lookLater(
    task: Task,
    { code, message }: { readonly code: string; readonly message: string },
  ): void {
    const health = parts.folder(task.ref.folder)?.port.health();
    if (!task.present || health === undefined || health.state === 'unavailable') {
      if (!task.again) desk.close(task);
      return;
    }
    const ms = Math.min((unreadFor.get(task) ?? firstUnreadMs / 2) * 2, parts.timing.pollSeconds * 1_000);
    unreadFor.set(task, ms);
    desk.change(task, { code, message });
    tools.wakeAt(task, 'paired', ms);
  }

  /**
   * Nothing is wrong with it any more, and no status of a later time says so. `goneFrom`: its file is gone, from that
   * device; one that is only away comes back as it was, and need not be refused anew.
   */
  async function clearFailure({ ref }: Task, goneFrom: number | null = null): Promise<void> {
    const failure = ledger.failure(ref);
    if (failure === undefined) return;
    if (goneFrom !== null && (await tools.deletions().isAway(ref.folder, failure.stamp.dev, goneFrom)))
      return;
    await parts.commit([{ kind: 'clear', ref }]);
  }

  /**
   * A refusal that nothing has changed about: not sent before a person says so, wherever the look came from. The sweep
   * says so of what it lists.
   */
  function refusedAsItStands({ ref }: Task, { stamp, context }: FoundDocument): Failure | null {
    const failure = ledger.failure(ref);
    if (failure === undefined || failure.history.at(-1)?.operation === 'delete') return null;
    return sameStamp(failure.stamp, stamp) && failure.context === context ? failure : null;
  }

  async function leaveHold(task: Task): Promise<void> {
    if (task.hasRecord) await tools.deletions().settle(task);
  }

  function sayUnfit(task: Task, { code, message }: { code: string; message: string }): void {
    if (task.code === code && task.message === message) return;
    parts.tell({ ...task.ref, what: 'failed', docId: ledger.get(task.ref)?.docId ?? null, message });
  }

  function add(task: Task): void {
    const lanes = isPlainNewcomer(task) ? backlog : waiting;
    const other = lanes === backlog ? waiting : backlog;
    other.remove(task.key);
    lanes.add(task.key, { lane: task.lane, at: task.at }, task);
    feed();
  }

  return {
    add,
    isQuiet: () => queue.size + queue.pending === 0 && waiting.size() === 0,
    resume: feed,
    whenStopped: () => queue.onIdle(),
    stop: () => {
      stopped = true;
      queue.clear();
    },
  };
}
