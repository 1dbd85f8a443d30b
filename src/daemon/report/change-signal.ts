import type { Clock } from '../../lib/time/clock.ts';

/** Notifies listeners that something changed, a few times a second at most. */
export interface ChangeSignal {
  readonly note: () => void;
  readonly listen: (listener: () => void) => () => void;
  readonly close: () => void;
}

const gatherMs = 200;

export function createChangeSignal(clock: Clock): ChangeSignal {
  const listeners = new Set<() => void>();
  let cancel: (() => void) | null = null;
  return {
    note: () => {
      if (cancel !== null || listeners.size === 0) return;
      cancel = clock.after(gatherMs, () => {
        cancel = null;
        for (const listener of listeners) listener();
      });
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      cancel?.();
      listeners.clear();
    },
  };
}
