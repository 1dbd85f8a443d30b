import TinyQueue from 'tinyqueue';

import type { Clock } from './clock.ts';

interface Entry<K> {
  readonly key: K;
  readonly at: number;
}

/** A longer timer would overflow: it is set again on the way. */
const longestTimerMs = 3_600_000;
/** So many outdated entries are kept before they are removed from the queue. */
const outdatedEntries = 1_000;

export type DueTimes<K> = ReturnType<typeof createDueTimes<K>>;

/**
 * Keys that are due at a time, with one timer for all. Calls `onDue` when at least one key is due; `take` says which. A
 * key that is not taken then is not announced again.
 */
export function createDueTimes<K>(clock: Clock, onDue: () => void) {
  const due = new Map<K, number>();
  // An entry whose time is not the key's in `due` is outdated.
  let queue = createQueue<K>([]);
  let cancelTimer = () => {};
  let timerAt = Infinity;

  function peek(): Entry<K> | undefined {
    let first = queue.peek();
    while (first !== undefined && due.get(first.key) !== first.at) {
      queue.pop();
      first = queue.peek();
    }
    return first;
  }

  function setTimer(): void {
    const at = peek()?.at ?? Infinity;
    if (at >= timerAt) return;
    cancelTimer();
    timerAt = at;
    const inMs = Math.min(Math.max(0, at - clock.monotonic()), longestTimerMs);
    cancelTimer = clock.after(inMs, () => {
      timerAt = Infinity;
      const first = peek();
      if (first !== undefined && first.at <= clock.monotonic()) onDue();
      else setTimer();
    });
  }

  function set(key: K, at: number): void {
    if (due.get(key) === at) return;
    due.set(key, at);
    if (queue.length > 2 * due.size + outdatedEntries) {
      queue = createQueue([...due].map(([known, dueAt]) => ({ key: known, at: dueAt })));
    } else queue.push({ key, at });
    setTimer();
  }

  return {
    /** Sets when `key` is due, in the clock's monotonic time; replaces an earlier setting. O(log n). */
    set,
    delete: (key: K) => {
      due.delete(key);
    },
    /** Takes out every key that is due, the earliest first, and sets the timer for the next. */
    take: (): readonly K[] => {
      const now = clock.monotonic();
      const taken: K[] = [];
      for (let first = peek(); first !== undefined && first.at <= now; first = peek()) {
        queue.pop();
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
      queue = createQueue<K>([]);
      cancelTimer();
      timerAt = Infinity;
    },
  };
}

function createQueue<K>(entries: Entry<K>[]): TinyQueue<Entry<K>> {
  return new TinyQueue(entries, (a, b) => a.at - b.at);
}
