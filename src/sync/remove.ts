import { batches } from '../model/batches.ts';
import type { Change, LedgerRecord } from '../model/ports/ledger-port.ts';
import type { FileOutcome, ServicePort, Permit } from '../model/ports/service-port.ts';
import type { Deletions } from './deletions.ts';
import type { Gate } from './gate.ts';
import { isPerhapsGone, markGone } from './mark-unsure.ts';
import type { Outcomes } from './outcomes.ts';
import type { Parts } from './parts.ts';
import type { Send } from './send.ts';
import type { Task } from './task.ts';

interface Tools {
  readonly service: ServicePort;
  readonly send: Send;
  readonly outcomes: Outcomes;
  readonly deletions: Deletions;
  readonly gate: Gate;
}

interface Victim {
  readonly task: Task;
  /** As it was before this request. */
  readonly record: LedgerRecord;
  readonly docId: string;
  readonly owner: string | undefined;
  readonly key: string | null;
}

/** Deletes documents whose files are gone, of one folder, in one request; what does not fit goes back in line. */
export function createRemove(parts: Parts, { service, send, outcomes, deletions, gate }: Tools) {
  const { clock, desk, ledger, totals } = parts;

  async function remove(tasks: readonly Task[], turn: Permit): Promise<void> {
    const gone: Victim[] = [];
    for (const task of tasks) {
      const record = ledger.get(task.ref);
      const look = await parts.folder(task.ref.folder)?.port.inspect(task.ref.path);
      if (record === undefined || look?.kind !== 'absent' || parts.moving.has(task.key)) {
        parts.look(task);
        continue;
      }
      const owner = record.metadata.documentOwner;
      gone.push({ task, record, docId: record.docId, owner, key: task.single ? null : (owner ?? '') });
    }
    const [batch, ...others] = batches(gone);
    for (const other of others) for (const { task } of other) parts.look(task);
    if (batch === undefined || !(await deletions.stillAllowed(batch.map(({ task }) => task)))) {
      for (const { task } of batch ?? []) if (task.phase === 'sending') parts.look(task);
      turn.giveBack();
      return;
    }
    await (batch.length === 1 ? removeOne(batch, turn) : removeMany(batch, turn));
  }

  async function removeOne(batch: readonly Victim[], turn: Permit): Promise<void> {
    const [victim] = batch;
    if (victim === undefined) return turn.giveBack();
    const { task, record, docId, owner } = victim;
    const mayBeGone = isPerhapsGone(record);
    const before = [markGone(task.ref, record)];
    const about = {
      ...task.ref,
      operation: 'delete',
      bytesTotal: 0,
      documents: 1,
      mayBeGone,
      before,
    } as const;
    const result = await send(about, (watch) => service.remove({ docId, documentOwner: owner }, turn, watch));
    const { outcome } = result;
    const { kind } = outcome;
    const isExpected = mayBeGone && kind === 'missing' && outcome.isOwnWord;
    const isStray = kind === 'missing' && !isExpected && gate.manyMissing() && !ledger.isApproved(task.ref);
    await takeBackMarks(batch, result);
    if (isStray) {
      await deletions.holdBack(
        task,
        'the service knows none of the last documents: its address may be wrong',
      );
      return;
    }
    if (kind === 'accepted') await forget(batch, outcome.warning);
    else if (kind === 'missing' && outcome.isOwnWord) await forget(batch);
    else await outcomes.refuse(task, 'delete', result);
  }

  async function removeMany(batch: readonly Victim[], turn: Permit): Promise<void> {
    const [first] = batch;
    if (first === undefined) return turn.giveBack();
    const before = batch.map(({ task, record }) => markGone(task.ref, record));
    const about = { folder: first.task.ref.folder, path: '', bytesTotal: 0, documents: batch.length, before };
    const result = await send({ ...about, operation: 'bulk_delete' }, (watch) =>
      service.bulkRemove(
        { docIds: batch.map(({ docId }) => docId), documentOwner: first.owner },
        turn,
        watch,
      ),
    );
    await takeBackMarks(batch, result);
    if (result.outcome.kind === 'accepted') await forget(batch, result.outcome.warning);
    else await fallBack(batch, result);
  }

  /** Nothing is unsure where nothing went out or a refusal came. What is deleted leaves the ledger altogether. */
  async function takeBackMarks(batch: readonly Victim[], { outcome }: FileOutcome): Promise<void> {
    if (outcome.kind === 'accepted') return;
    if (outcome.kind === 'unavailable' && outcome.sent !== 'nothing') return;
    const marked = batch.filter(
      ({ task, record }) => isPerhapsGone(ledger.get(task.ref)) && !isPerhapsGone(record),
    );
    if (marked.length === 0) return;
    await parts.commit(marked.map(({ task, record }) => ({ kind: 'put', ref: task.ref, record })));
  }

  /** What the service refuses together is tried one by one; what it could not take now waits together. */
  async function fallBack(batch: readonly Victim[], result: FileOutcome): Promise<void> {
    const refused = result.outcome.kind === 'rejected' || result.outcome.kind === 'missing';
    for (const { task } of batch) {
      if (!refused) {
        await outcomes.refuse(task, 'delete', result);
        continue;
      }
      desk.change(task, { single: true });
      parts.look(task);
    }
  }

  /** The service no longer holds them: one record of the ledger for all. */
  async function forget(batch: readonly Victim[], warning: string | null = null): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    const { folder } = first.task.ref;
    const unapproved = batch.filter(({ task }) => !ledger.isApproved(task.ref)).length;
    const changes = batch.flatMap(({ task }): readonly Change[] => [
      { kind: 'drop', ref: task.ref },
      { kind: 'clear', ref: task.ref },
      ...traceOf(task),
    ]);
    await parts.commit([
      ...changes,
      { kind: 'unapprove', folder, paths: batch.map(({ task }) => task.ref.path) },
      { kind: 'removed', folder, removal: { at: clock.now(), count: unapproved } },
    ]);
    totals.deleted += batch.length;
    for (const { task, docId } of batch) {
      parts.tell({ ...task.ref, what: 'deleted', docId, message: warning });
      desk.change(task, { hasRecord: false });
      parts.look(task);
    }
  }

  /** What an answer that was lost may have left at the service is not forgotten with the record (contract 7.7). */
  function traceOf(task: Task): readonly Change[] {
    const count = ledger.get(task.ref)?.possibleDuplicates ?? 0;
    if (count === 0) return [];
    const message =
      'the document is deleted; further ones of it may stand at the service, for answers were lost';
    return [{ kind: 'doubt', doubt: outcomes.doubtOf(task, message, count) }];
  }

  return { remove };
}
