import type { Clock } from './clock.ts';

/** Names that are due at a time, with one timer for all. */
export interface Agenda {
  /** Sets when `name` is due; a later call puts it off. */
  readonly set: (name: string, inMs: number) => void;
  readonly delete: (name: string) => void;
  /** Takes out every name that is due. */
  readonly take: () => readonly string[];
  readonly size: () => number;
  readonly clear: () => void;
}

/** Calls `wake` when the first name is due; it is for `take` to say which. */
export function createAgenda(clock: Clock, wake: () => void): Agenda {
  const due = new Map<string, number>();
  let cancel = () => {};
  let armedFor = Infinity;

  function arm(at: number): void {
    if (at >= armedFor) return;
    cancel();
    armedFor = at;
    cancel = clock.after(Math.max(0, at - clock.monotonic()), () => {
      armedFor = Infinity;
      wake();
    });
  }

  return {
    set: (name, inMs) => {
      const at = clock.monotonic() + inMs;
      due.set(name, at);
      arm(at);
    },
    delete: (name) => {
      due.delete(name);
    },
    take: () => {
      const now = clock.monotonic();
      const taken: string[] = [];
      let next = Infinity;
      for (const [name, at] of due) {
        if (at <= now) taken.push(name);
        else next = Math.min(next, at);
      }
      for (const name of taken) due.delete(name);
      arm(next);
      return taken;
    },
    size: () => due.size,
    clear: () => {
      due.clear();
      cancel();
      armedFor = Infinity;
    },
  };
}
