import PQueue from 'p-queue';

import { maxBulkDocuments } from '../model/batches.ts';
import { errorCode, errorMessage } from '../model/errors.ts';
import { createLanes } from '../lib/priority-queue.ts';
import type { MetricsPort } from '../model/ports/metrics-port.ts';
import type { LimiterPort, Permit } from '../model/ports/service-port.ts';
import { assess } from './assess.ts';
import type { Sendable } from './assess.ts';
import type { DurableCommit } from './commit-durably.ts';
import type { Gate } from './gate.ts';
import type { Looks } from './looks.ts';
import type { Parts } from './parts.ts';
import type { Task } from './task.ts';

/** Takes a place in the minute, then decides what goes out on it. */
export interface Dispatch {
  readonly add: (task: Task, operation: 'upload' | 'modify' | 'delete', bulkKey: string | null) => void;
  /** It is ready no more: something else is to be done with it, or nothing. */
  readonly leave: (task: Task) => void;
  readonly pump: () => void;
  readonly inFlight: () => number;
  /** Takes no new work; resolves when what is under way has ended. */
  readonly stop: () => Promise<void>;
}

interface Tools {
  readonly limiter: LimiterPort;
  readonly gate: Gate;
  readonly commit: DurableCommit;
  readonly looks: () => Looks;
  readonly metrics: MetricsPort;
  readonly mayUpload: (folder: string) => boolean;
  readonly upload: (task: Task, found: Sendable, turn: Permit) => Promise<void>;
  readonly modify: (task: Task, found: Sendable, turn: Permit) => Promise<void>;
  readonly remove: (tasks: readonly Task[], turn: Permit) => Promise<void>;
  readonly modifyMany: (tasks: readonly Task[], key: string, turn: Permit) => Promise<void>;
}

/** What could share a call waits this long for others that are still looked at. */
const gatherMs = 5_000;
/** How often what gathers, or waits for the gate, is asked again. */
const askAgainMs = 100;

export function createDispatch(parts: Parts, tools: Tools): Dispatch {
  const { clock, desk, log, service } = parts;
  const ready = createLanes<Task>();
  const groups = new Map<string, Set<Task>>();
  const deliveries = new PQueue({ concurrency: service.concurrency });
  /** Which delivery has each task: one that a delivery lets go of may be in another before the first ends. */
  const deliveryOf = new WeakMap<Task, Permit>();
  let stopped = false;
  let pumping = false;
  let cancelAsk = () => {};

  function add(task: Task, operation: 'upload' | 'modify' | 'delete', bulkKey: string | null): void {
    // Closed meanwhile: its place in line may be that of another task by now.
    if (desk.get(task.ref) !== task) return;
    leave(task);
    const group = bulkKey === null || task.single ? null : `${task.ref.folder}/${operation}/${bulkKey}`;
    desk.change(task, { phase: 'ready', operation, bulkKey: group, due: null });
    if (group !== null) groups.set(group, (groups.get(group) ?? new Set()).add(task));
    const lane = operation === 'delete' ? 'deletion' : task.lane;
    ready.add(task.key, { lane, at: task.at }, task);
    pump();
  }

  function leave(task: Task): void {
    ready.remove(task.key);
    const group = task.bulkKey === null ? undefined : groups.get(task.bulkKey);
    group?.delete(task);
    if (group?.size === 0 && task.bulkKey !== null) groups.delete(task.bulkKey);
  }

  function pump(): void {
    if (pumping || stopped) return;
    pumping = true;
    void run().finally(() => {
      pumping = false;
    });
  }

  async function run(): Promise<void> {
    while (hasRoom() && ready.size() > 0) {
      const waited = clock.monotonic();
      if (!peek()) break;
      const turn = await tools.limiter.take().catch(() => null);
      if (turn === null) return;
      const task = hasRoom() ? take() : null;
      if (task === null) {
        turn.giveBack();
        break;
      }
      tools.metrics.rateWait((clock.monotonic() - waited) / 1000);
      const work = gather(task);
      for (const member of work) {
        deliveryOf.set(member, turn);
        desk.change(member, { phase: 'sending', again: false });
      }
      void deliveries.add(() => deliver(work, turn)).finally(pump);
    }
    if (ready.size() > 0) askLater();
  }

  function hasRoom(): boolean {
    if (stopped || tools.commit.trouble() !== null) return false;
    return deliveries.pending + deliveries.size < tools.gate.width(service.concurrency);
  }

  /** Whether anything may go out now, before a place in the minute is taken for it. */
  function peek(): boolean {
    for (const { value } of ready.entries()) if (fits(value)) return true;
    return false;
  }

  function take(): Task | null {
    return ready.take(({ value }) => fits(value))?.value ?? null;
  }

  function fits(task: Task): boolean {
    if (task.operation === 'upload') return tools.mayUpload(task.ref.folder);
    if (task.bulkKey === null) return true;
    const members = groups.get(task.bulkKey)?.size ?? 0;
    if (members >= maxBulkDocuments || clock.monotonic() - task.phaseSince >= gatherMs) return true;
    const others = task.operation === 'delete' ? desk.inPhase('grace').size : 0;
    return others === 0 && tools.looks().isQuiet();
  }

  /** The task, and those that can share its call. */
  function gather(task: Task): readonly Task[] {
    const group = task.bulkKey === null ? [] : [...(groups.get(task.bulkKey) ?? [])];
    const others = group.filter((one) => one !== task);
    const work = [task, ...others.slice(0, maxBulkDocuments - 1)];
    for (const member of work) leave(member);
    return work;
  }

  async function deliver(work: readonly Task[], turn: Permit): Promise<void> {
    try {
      const [task] = work;
      if (task === undefined) turn.giveBack();
      else if (task.operation === 'delete') await tools.remove(work, turn);
      else if (work.length > 1 && task.bulkKey !== null) {
        const key = task.bulkKey.slice(`${task.ref.folder}/modify/`.length);
        await tools.modifyMany(work, key, turn);
      } else await deliverOne(task, turn);
    } catch (error) {
      if (errorCode(error) === 'stopped') return;
      log.error({ error: errorMessage(error) }, 'a delivery went wrong');
      turn.giveBack();
    }
    for (const task of work) if (task.phase === 'sending' && deliveryOf.get(task) === turn) parts.look(task);
  }

  async function deliverOne(task: Task, turn: Permit): Promise<void> {
    const found = await assess(parts, task);
    if (found.kind !== 'send') {
      turn.giveBack();
      parts.look(task);
    } else if (found.operation.kind === 'upload') await tools.upload(task, found, turn);
    else await tools.modify(task, found, turn);
  }

  function askLater(): void {
    cancelAsk();
    const shutMs = tools.gate.shutMs();
    cancelAsk = clock.after(shutMs > 0 ? Math.min(shutMs, 60_000) : askAgainMs, pump);
  }

  return {
    add,
    leave,
    pump,
    inFlight: () => deliveries.pending + deliveries.size,
    stop: async () => {
      stopped = true;
      cancelAsk();
      await deliveries.onIdle();
    },
  };
}
