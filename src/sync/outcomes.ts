import { nextDelayMs } from '../model/back-off.ts';
import type { Attempt, Change, Doubt } from '../model/ports/ledger-port.ts';
import type { FileOutcome, Outcome } from '../model/ports/service-port.ts';
import type { Gate } from './gate.ts';
import { isPerhapsGone } from './mark-unsure.ts';
import type { Parts } from './parts.ts';
import type { Task } from './task.ts';

/** What follows from a request that was not accepted, architecture section 4. */
export interface Outcomes {
  readonly refuse: (
    task: Task,
    operation: string,
    result: FileOutcome & { readonly intentIds?: readonly string[] },
  ) => Promise<void>;
  /** Failed: kept with its reason until the file changes or a person retries. */
  readonly fail: (task: Task, operation: string, why: { code: string; message: string }) => Promise<void>;
  /** One further document of it may stand at the service. Holds nothing back. */
  readonly doubtOf: (task: Task, message: string, count?: number) => Doubt;
  /** Delivered: the file is looked at once more. */
  readonly done: (task: Task) => void;
  /** Tried again after its back-off; `sync` gives up after five. */
  readonly later: (
    task: Task,
    why: { code: string; message: string; afterMs: number | null },
  ) => Promise<void>;
}

interface Tools {
  readonly gate: Gate;
  readonly wakeAt: (task: Task, phase: 'retry' | 'settling', ms: number) => void;
  readonly random: () => number;
  /** `sync` gives up after this many; null: never. */
  readonly maxAttempts: number | null;
}

const longestHistory = 10;
/** A file that changed under way is looked at again after this. */
const movedOnMs = 200;

export function createOutcomes(parts: Parts, { gate, wakeAt, random, maxAttempts }: Tools): Outcomes {
  const { clock, desk, ledger, look } = parts;

  async function refuse(
    task: Task,
    operation: string,
    { outcome, intentIds = [] }: Parameters<Outcomes['refuse']>[2],
  ): Promise<void> {
    const resolved = intentIds.map((id): Change => ({ kind: 'resolve', id }));
    if (outcome.kind === 'unknown') return doubt(task, operation, outcome, resolved);
    if (resolved.length > 0) await parts.commit(resolved);
    switch (outcome.kind) {
      case 'accepted':
        return doubt(
          task,
          operation,
          { ...outcome, code: 'no-doc-id', message: 'accepted without a docId' },
          [],
        );
      case 'rejected':
        if (gate.manyForbidden()) return later(task, { ...outcome, afterMs: gate.shutMs() });
        return fail(task, operation, outcome);
      case 'missing':
        return missing(task, operation, outcome);
      case 'unavailable':
        return later(task, { ...outcome, afterMs: outcome.retryAfterMs });
      case 'unauthorized':
        return wait(task, { code: 'credentials-refused', message: outcome.message });
      case 'misaddressed':
        if (maxAttempts !== null) return giveUp(task, outcome);
        return wait(task, outcome);
      case 'changed':
        return wakeAt(task, 'settling', movedOnMs);
      case 'unreadable':
        return fail(task, operation, { code: 'unreadable', message: outcome.message });
    }
  }

  /** No fault of the document: it goes out as soon as the gate opens. */
  function wait(task: Task, { code, message }: { code: string; message: string }): void {
    desk.change(task, { code, message });
    wakeAt(task, 'retry', Math.max(movedOnMs, gate.shutMs()));
  }

  async function missing(
    task: Task,
    operation: string,
    outcome: Extract<Outcome, { kind: 'missing' }>,
  ): Promise<void> {
    const { status, message, isOwnWord } = outcome;
    if (!isOwnWord) return later(task, { code: `http-${status}`, message, afterMs: null });
    const record = ledger.get(task.ref);
    // What we deleted ourselves, before its file came back, is nobody else's decision.
    const isAnew = isPerhapsGone(record) || (parts.service.onMissing === 'upload' && !gate.manyMissing());
    if (record !== undefined && isAnew) {
      // The record stays until the new one stands: an address that is wrong must not cost a docId.
      desk.change(task, { isLost: true });
      look(task);
      return;
    }
    await fail(task, operation, {
      code: 'missing-at-service',
      message: `the service does not know the document ${record?.docId ?? ''}: ${message}`,
    });
  }

  function doubtOf(task: Task, count: number, message: string, holds: boolean): Doubt {
    return { id: `${task.key}@${clock.now()}`, ref: task.ref, count, since: clock.now(), message, holds };
  }

  async function doubt(
    task: Task,
    operation: string,
    { code, message }: { code: string; message: string },
    resolved: readonly Change[],
  ): Promise<void> {
    const holds = parts.safety.inDoubt === 'hold';
    await parts.commit([{ kind: 'doubt', doubt: doubtOf(task, 1, message, holds) }, ...resolved]);
    parts.tell({ ...task.ref, what: 'in doubt', docId: null, message });
    if (holds) await fail(task, operation, { code: 'in-doubt', message });
    else await later(task, { code, message, afterMs: null });
  }

  async function later(
    task: Task,
    { code, message, afterMs }: { code: string; message: string; afterMs: number | null },
  ): Promise<void> {
    const attempts = task.attempts + 1;
    desk.change(task, { attempts, code, message });
    if (maxAttempts !== null && attempts >= maxAttempts) return giveUp(task, { code, message });
    const own = nextDelayMs({
      kind: 'unavailable',
      attempt: attempts,
      retryAfterMs: afterMs,
      random: random(),
    });
    wakeAt(task, 'retry', Math.max(own, gate.shutMs()));
  }

  /** Failed for this pass only: nothing is wrong with the document, and the next pass tries it again. */
  function giveUp(task: Task, { code, message }: { code: string; message: string }): void {
    const attempts = Math.max(1, task.attempts);
    desk.change(task, { phase: 'failed', attempts, code, message, due: null, operation: null });
    parts.tell({ ...task.ref, what: 'failed', docId: ledger.get(task.ref)?.docId ?? null, message });
    if (task.again) look(task);
  }

  async function fail(
    task: Task,
    operation: string,
    { code, message }: { code: string; message: string },
  ): Promise<void> {
    const attempts = task.attempts + 1;
    const before = ledger.failure(task.ref)?.history ?? [];
    const attempt: Attempt = { at: clock.now(), operation, code, message };
    desk.change(task, {
      phase: 'failed',
      attempts,
      code,
      message,
      due: null,
      operation: null,
      recorded: true,
    });
    if (task.stamp !== null) {
      await parts.commit([
        {
          kind: 'fail',
          ref: task.ref,
          failure: {
            code,
            message,
            attempts,
            history: [...before, attempt].slice(-longestHistory),
            stamp: task.stamp,
            context: task.context,
          },
        },
      ]);
    }
    parts.tell({ ...task.ref, what: 'failed', docId: ledger.get(task.ref)?.docId ?? null, message });
    if (task.again) look(task);
  }

  return {
    refuse,
    fail,
    doubtOf: (task, message, count = 1) => doubtOf(task, count, message, false),
    later,
    done: (task) => {
      desk.change(task, {
        hasRecord: true,
        attempts: 0,
        code: null,
        message: null,
        operation: null,
        bulkKey: null,
        single: false,
        isLost: false,
        recorded: false,
      });
      look(task);
    },
  };
}
