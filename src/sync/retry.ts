import { refKey } from '../core/document.ts';
import type { DocumentRef } from '../core/document.ts';
import type { Change } from '../core/ledger-port.ts';
import type { Gate } from './gate.ts';
import type { Parts } from './parts.ts';

/** Failed documents back in line, and doubts dismissed; null: all. Gives those of `refs` that are neither. */
export type Retry = (
  refs: readonly DocumentRef[] | null,
) => Promise<{ readonly retried: number; readonly unknown: readonly DocumentRef[] }>;

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
    const changes = [
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
    return { retried: known.size, unknown: (refs ?? []).filter((ref) => !known.has(refKey(ref))) };
  };
}
