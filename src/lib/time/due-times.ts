import { OrderedKeys } from '../queue/ordered-keys.ts';
import type { Clock } from './clock.ts';

/** A longer timer would overflow: it is set again on the way. */
const longestTimerMs = 3_600_000;

export type DueTimes<K> = ReturnType<typeof createDueTimes<K>>;

/**
 * Keys that are due at a time, with one timer for all. Calls `onDue` when at least one key is due; `take` says which. A
 * key that is not taken then is not announced again.
 */
export function createDueTimes<K>(clock: Clock, onDue: () => void) {
  const due = new OrderedKeys<K>();
  let cancelTimer = () => {};
  let timerAt = Infinity;

  function setTimer(): void {
    const at = due.first?.at ?? Infinity;
    if (at >= timerAt) return;
    cancelTimer();
    timerAt = at;
    const inMs = Math.min(Math.max(0, at - clock.monotonic()), longestTimerMs);
    cancelTimer = clock.after(inMs, () => {
      timerAt = Infinity;
      const { first } = due;
      if (first !== undefined && first.at <= clock.monotonic()) onDue();
      else setTimer();
    });
  }

  return {
    /** Sets when `key` is due, in the clock's monotonic time; replaces an earlier setting. O(log n). */
    set: (key: K, at: number): void => {
      if (due.set(key, at)) setTimer();
    },
    delete: (key: K) => due.delete(key),
    /** Takes out every key that is due, the earliest first, and sets the timer for the next. */
    take: (): readonly K[] => {
      const now = clock.monotonic();
      const taken: K[] = [];
      for (let { first } = due; first !== undefined && first.at <= now; { first } = due) {
        due.delete(first.key);
        taken.push(first.key);
      }
      setTimer();
      return taken;
    },
    size: () => due.size,
    /** Forgets every key and cancels the timer. */
    clear: () => {
      due.clear();
      cancelTimer();
      timerAt = Infinity;
    },
  };
}
