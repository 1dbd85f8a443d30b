import { writtenMoment } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import type { DocumentRef } from '../../model/document.ts';
import { filesOf } from '../../model/metadata/held-mode.ts';
import type { Change, LedgerPort, LedgerRecord } from '../../model/ports/ledger-port.ts';
import { traceOfDuplicates } from './doubt-about.ts';
import type { Planned } from './planned.ts';
import type { RequestAbout } from './tracked-request.ts';

/** A document whose file is gone. */
export interface Deletable extends Planned {
  readonly record: LedgerRecord;
}

export function aboutDelete(batch: readonly [Deletable, ...Deletable[]]): RequestAbout {
  const [{ task, record }] = batch;
  const before = batch.map((one) => markGone(one.task.ref, one.record));
  const { ref, untaken } = task;
  const shared = { folder: ref.folder, bytesTotal: 0, documents: batch.length, before, untaken };
  if (batch.length > 1) return { ...shared, path: '', operation: 'bulk_delete' };
  return { ...shared, path: ref.path, operation: 'delete', mayBeGone: isPerhapsGone(record) };
}

/** What accepted deletions change in the ledger, as one commit. `documents`: how many of its folder were sent before. */
export function deletedChanges(
  batch: readonly Deletable[],
  ledger: Pick<LedgerPort, 'get' | 'isApproved'>,
  clock: Pick<Clock, 'now' | 'sinceBoot'>,
  documents: number,
): readonly Change[] {
  const folder = batch[0]?.task.ref.folder;
  if (folder === undefined) return [];
  const refs = batch.map(({ task }) => task.ref);
  const unapproved = refs.filter((ref) => !ledger.isApproved(ref)).length;
  const removal = { ...writtenMoment(clock), count: unapproved, documents };
  return [
    ...batch.flatMap(({ task: { ref }, record }): readonly Change[] => [
      { kind: 'drop', ref },
      { kind: 'clear', ref },
      // They may stand somewhere, and are shared no more widely than they were.
      ...filesOf({ ref, record }).map((held): Change => ({ kind: 'former', held })),
      ...traceOfDuplicates(ref, ledger.get(ref), clock.now(), deletedMessage),
    ]),
    { kind: 'unapprove', folder, paths: refs.map(({ path }) => path) },
    ...(unapproved === 0 ? [] : [{ kind: 'removed' as const, folder, removal }]),
  ];
}

const deletedMessage =
  'the document was deleted; the service may still have extra copies, because answers were lost';

/**
 * Says in the record that its deletion is under way. Should no answer come, a service that says it does not know the
 * document is no surprise, and a file that comes back meanwhile is made sure of.
 */
function markGone(ref: DocumentRef, record: LedgerRecord): Change {
  const unsure = { content: false, attachments: false, metadata: [], ...record.unsure, gone: true } as const;
  return { kind: 'put', ref, record: { ...record, fingerprint: '', unsure } };
}

/** Whether a deletion of the document went out and its answer never came. */
export function isPerhapsGone(record: LedgerRecord | undefined): boolean {
  return record?.unsure?.gone === true;
}
