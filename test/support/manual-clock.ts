import type { Clock } from '../../src/lib/time/clock.ts';

export interface ManualClock extends Clock {
  /** Lets `ms` pass: due calls run in order, promises between them are given time to settle. */
  readonly advance: (ms: number) => Promise<void>;
  /** Sets the wall clock without letting time pass. */
  readonly jump: (ms: number) => void;
  /** How long until the next call is due, ms; null: none is. */
  readonly untilNext: () => number | null;
}

interface Timer {
  readonly due: number;
  readonly call: () => void;
}

/** A clock that moves only when the test says so. Starts at 2026-01-01T00:00:00Z unless told otherwise. */
export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsed = 0;
  let offset = start;
  const timers = new Set<Timer>();
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const next = (limit: number) => {
    let first: Timer | undefined;
    for (const timer of timers)
      if (timer.due <= limit && (first === undefined || timer.due < first.due)) first = timer;
    return first;
  };

  return {
    now: () => offset + elapsed,
    monotonic: () => elapsed,
    after: (ms, call) => {
      const timer = { due: elapsed + Math.max(0, ms), call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    jump: (ms) => {
      offset += ms;
    },
    untilNext: () => {
      const due = next(Infinity)?.due;
      return due === undefined ? null : due - elapsed;
    },
    advance: async (ms) => {
      const end = elapsed + ms;
      await settle();
      for (let timer = next(end); timer !== undefined; timer = next(end)) {
        timers.delete(timer);
        elapsed = Math.max(elapsed, timer.due);
        timer.call();
        await settle();
      }
      elapsed = end;
      await settle();
    },
  };
}
