import type { Clock } from '../../lib/time/clock.ts';

/** What a host says to Redis again and again, and never twice at once. */
export type Beat = ReturnType<typeof createBeat>;

/**
 * `say` says it; what it rejects with is its own affair. `restMs` is how long to rest until it is said again. Nothing is
 * said before `now` or `rest` is called.
 */
export function createBeat(clock: Clock, say: () => Promise<void>, restMs: () => number) {
  let underWay: Promise<void> | null = null;
  /** There is more to say than what is being said. */
  let again = false;
  let isOver = false;
  let cancel = () => {};
  return {
    now,
    rest,
    /** Says nothing more. Resolves when what is being said is over. */
    end: async (): Promise<void> => {
      isOver = true;
      cancel();
      await underWay;
    },
  };

  /** Says it now, or as soon as what is being said is over. */
  function now(): void {
    if (isOver) return;
    again = underWay !== null;
    if (again) return;
    cancel();
    underWay = say()
      .catch(() => {})
      .finally(() => {
        underWay = null;
        if (again) now();
        else rest();
      });
  }

  /** Rests from now on, for as long as `restMs` says now. */
  function rest(): void {
    cancel();
    if (!isOver && underWay === null) cancel = clock.after(restMs(), now);
  }
}
