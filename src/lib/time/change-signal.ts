import type { Clock } from './clock.ts';

export type ChangeSignal = ReturnType<typeof createChangeSignal>;

/** Notifies listeners that something changed: `gatherMs` after it did, and once for all that changed until then. */
export function createChangeSignal(clock: Clock, gatherMs = 200) {
  const listeners = new Set<() => void>();
  let cancel: (() => void) | null = null;
  return {
    note: (): void => {
      if (cancel !== null || listeners.size === 0) return;
      cancel = clock.after(gatherMs, () => {
        cancel = null;
        for (const listener of listeners) listener();
      });
    },
    listen: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: (): void => {
      cancel?.();
      listeners.clear();
    },
  };
}
