import TinyQueue from 'tinyqueue';

import type { Clock } from '../lib/clock.ts';
import type { Task } from './task.ts';

interface Entry {
  readonly due: number;
  readonly task: Task;
}

/** Wakes tasks at their `due`, with one timer for all. */
export interface Agenda {
  /** The task's `due` is set: it is woken then, unless `due` has been changed by that time. */
  readonly add: (task: Task) => void;
  readonly close: () => void;
}

/** Timers longer than this are set again on the way: a longer one would overflow. */
const longestTimerMs = 3_600_000;

export function createAgenda(clock: Clock, wake: (task: Task) => void): Agenda {
  const entries = new TinyQueue<Entry>([], (a, b) => a.due - b.due);
  let cancel = () => {};
  let armedFor = Infinity;
  let closed = false;

  function arm(): void {
    const first = entries.peek();
    if (closed || first === undefined || first.due >= armedFor) return;
    cancel();
    armedFor = first.due;
    cancel = clock.after(Math.min(Math.max(0, first.due - clock.monotonic()), longestTimerMs), ring);
  }

  function ring(): void {
    armedFor = Infinity;
    const now = clock.monotonic();
    for (let first = entries.peek(); first !== undefined && first.due <= now; first = entries.peek()) {
      entries.pop();
      if (first.task.due === first.due) wake(first.task);
    }
    arm();
  }

  return {
    add: (task) => {
      if (task.due === null || closed) return;
      entries.push({ due: task.due, task });
      arm();
    },
    close: () => {
      closed = true;
      cancel();
    },
  };
}
