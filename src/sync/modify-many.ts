import { maxBulkDocuments } from '../model/batches.ts';
import type { ServicePort, Permit } from '../model/ports/service-port.ts';
import { assess } from './assess.ts';
import type { Sendable } from './assess.ts';
import { markUnsure } from './mark-unsure.ts';
import type { Outcomes } from './outcomes.ts';
import type { Parts } from './parts.ts';
import type { Send } from './send.ts';
import type { Task } from './task.ts';

interface Tools {
  readonly service: ServicePort;
  readonly send: Send;
  readonly outcomes: Outcomes;
  readonly recordModify: (task: Task, found: Sendable, sent: readonly []) => Promise<void>;
}

/** Sends one metadata change of many documents in one bulk call, interface 4.6. */
export function createModifyMany(parts: Parts, { service, send, outcomes, recordModify }: Tools) {
  return async function modifyMany(tasks: readonly Task[], key: string, turn: Permit): Promise<void> {
    const members: { readonly task: Task; readonly found: Sendable; readonly docId: string }[] = [];
    for (const task of tasks.slice(0, maxBulkDocuments)) {
      const found = await assess(parts, task);
      const operation = found.kind === 'send' ? found.operation : null;
      if (found.kind !== 'send' || operation?.kind !== 'modify' || operation.bulk?.key !== key)
        parts.look(task);
      else members.push({ task, found, docId: operation.docId });
    }
    const operation = members[0]?.found.operation;
    if (operation?.kind !== 'modify' || operation.bulk === null) {
      turn.giveBack();
      return;
    }
    const { change } = operation.bulk;
    const folder = members[0]?.task.ref.folder ?? '';
    const about = {
      folder,
      path: '',
      operation: 'bulk_modify',
      bytesTotal: 0,
      documents: members.length,
      before: members.flatMap(({ task, found: { operation, record } }) =>
        operation.kind === 'modify' && record !== null ? [markUnsure(task.ref, record, operation)] : [],
      ),
    } as const;
    const result = await send(about, (watch) =>
      service.bulkModify({ docIds: members.map(({ docId }) => docId), ...change }, turn, watch),
    );
    const { kind } = result.outcome;
    // All at once: commits that come together share one fsync.
    if (kind === 'accepted')
      await Promise.all(members.map(({ task, found }) => recordModify(task, found, [])));
    for (const { task, docId } of members) {
      if (kind === 'accepted') {
        parts.tell({ ...task.ref, what: 'modified', docId, message: result.outcome.warning });
        outcomes.done(task);
      } else if (kind === 'rejected' || kind === 'missing') {
        parts.desk.change(task, { single: true });
        parts.look(task);
      } else {
        await outcomes.refuse(task, 'modify', result);
      }
    }
  };
}
