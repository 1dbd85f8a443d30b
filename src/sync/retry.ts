import { refKey } from '../model/document.ts';
import type { DocumentRef } from '../model/document.ts';
import type { Change, LedgerPort } from '../model/ports/ledger-port.ts';
import type { Gate } from './gate.ts';
import type { Parts } from './parts.ts';

/**
 * Failed documents back in line, and doubts dismissed; null: all. Possible duplicates of a delivered document are
 * dismissed only where it is named: nobody has looked at all of them. Gives those of `refs` that are none of this.
 */
export type Retry = (refs: readonly DocumentRef[] | null) => Promise<{
  readonly retried: number;
  readonly dismissed: number;
  readonly unknown: readonly DocumentRef[];
}>;

interface Tools {
  readonly gate: Gate;
  readonly pump: () => void;
}

export function createRetry(parts: Parts, { gate, pump }: Tools): Retry {
  const { clock, desk, ledger } = parts;
  return async (refs) => {
    const wanted = refs === null ? null : new Set(refs.map(refKey));
    const isWanted = (key: string) => wanted === null || wanted.has(key);
    const failed = [...desk.inPhase('failed'), ...desk.inPhase('retry')].filter(({ key }) => isWanted(key));
    const dismissed = ledger.doubts().filter(({ ref }) => isWanted(refKey(ref)));
    const looked = new Map<string, Change>();
    for (const ref of refs ?? []) {
      const change = isUnderWay(ref) ? null : withoutDuplicates(ledger, ref);
      if (change !== null) looked.set(refKey(ref), change);
    }
    const changes = [
      ...looked.values(),
      ...dismissed.map(({ id }): Change => ({ kind: 'dismiss', id })),
      ...failed.filter(({ recorded }) => recorded).map(({ ref }): Change => ({ kind: 'clear', ref })),
    ];
    if (changes.length > 0) await parts.commit(changes);
    for (const task of failed) {
      // What came due while that was written is under way by now.
      if (task.phase !== 'failed' && task.phase !== 'retry') continue;
      desk.change(task, { lane: 'retry', at: clock.now(), attempts: 0, recorded: false });
      parts.look(task);
    }
    gate.open();
    pump();
    const known = new Set([...failed, ...dismissed].map(({ ref }) => refKey(ref)));
    const unknown = (refs ?? []).filter((ref) => !known.has(refKey(ref)) && !looked.has(refKey(ref)));
    return { retried: known.size, dismissed: looked.size, unknown };
  };

  /** Its record is about to be written anew, from what it was. */
  function isUnderWay(ref: DocumentRef): boolean {
    return desk.get(ref)?.phase === 'sending' || parts.moving.has(refKey(ref));
  }
}

/**
 * The change by which a person's look at the possible duplicates of a delivered document ends their count; null: it has
 * none.
 */
export function withoutDuplicates(ledger: Pick<LedgerPort, 'get'>, ref: DocumentRef): Change | null {
  const record = ledger.get(ref);
  if (record === undefined || record.possibleDuplicates === 0) return null;
  return { kind: 'put', ref, record: { ...record, possibleDuplicates: 0 } };
}
