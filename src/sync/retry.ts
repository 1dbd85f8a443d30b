import { refKey } from '../model/document.ts';
import type { DocumentRef } from '../model/document.ts';
import type { Change } from '../model/ports/ledger-port.ts';
import { sendAgain } from '../model/resolve-doubt.ts';
import type { Gate } from './gate.ts';
import type { Parts } from './parts.ts';

/**
 * Failed documents back in line; null: all but those in doubt. One in doubt that is named is sent again. Gives those of
 * `refs` that are neither.
 */
export type Retry = (refs: readonly DocumentRef[] | null) => Promise<{
  readonly retried: number;
  readonly unknown: readonly DocumentRef[];
}>;

/**
 * Writes down what a person decided about one path and inspects it again. False: a request about it is under way, and
 * nothing was written.
 */
export type Decide = (ref: DocumentRef, changes: readonly Change[]) => Promise<boolean>;

interface Tools {
  readonly gate: Gate;
  readonly pump: () => void;
}

export function createRetry(parts: Parts, { gate, pump }: Tools): Retry {
  const { clock, desk, ledger } = parts;
  return async (refs) => {
    const wanted = refs === null ? null : new Set(refs.map(refKey));
    const doubts = ledger.doubts();
    const inDoubt = new Set(doubts.map(({ ref }) => refKey(ref)));
    const isWanted = (key: string) => (wanted === null ? !inDoubt.has(key) : wanted.has(key));
    const failed = [...desk.inPhase('failed'), ...desk.inPhase('retry')].filter(({ key }) => isWanted(key));
    const doubted = wanted === null ? [] : doubts.filter(({ ref }) => wanted.has(refKey(ref)));
    const changes = [
      ...doubted.flatMap((doubt) => sendAgain({ ref: doubt.ref, failure: undefined, doubts: [doubt] })),
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
    const known = new Set([...failed, ...doubted].map(({ ref }) => refKey(ref)));
    return { retried: known.size, unknown: (refs ?? []).filter((ref) => !known.has(refKey(ref))) };
  };
}

export function createDecide(parts: Parts, { pump }: Pick<Tools, 'pump'>): Decide {
  const { clock, desk, ledger } = parts;
  return async (ref, changes) => {
    if (desk.get(ref)?.phase === 'sending' || parts.moving.has(refKey(ref))) return false;
    await parts.commit(changes);
    const task = desk.get(ref);
    if (task !== undefined) {
      const hasRecord = ledger.get(ref) !== undefined;
      desk.change(task, { lane: 'retry', at: clock.now(), attempts: 0, recorded: false, hasRecord });
      parts.look(task);
    }
    pump();
    return true;
  };
}
