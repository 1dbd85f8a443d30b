import type { Task } from './task.ts';

/** Tasks by a number of theirs. Most numbers belong to one task: these cost no set. */
export interface TaskIndex {
  readonly add: (key: number, task: Task) => void;
  readonly remove: (key: number, task: Task) => void;
  /** Live: do not change the index while going over it. */
  readonly of: (key: number) => ReadonlySet<Task> | readonly Task[];
  readonly has: (key: number) => boolean;
}

const nobody: readonly Task[] = [];

export function createTaskIndex(): TaskIndex {
  const tasks = new Map<number, Task | Set<Task>>();
  return {
    add: (key, task) => {
      const known = tasks.get(key);
      if (known === undefined || known === task) tasks.set(key, task);
      else if (known instanceof Set) known.add(task);
      else tasks.set(key, new Set([known, task]));
    },
    remove: (key, task) => {
      const known = tasks.get(key);
      if (known === task) tasks.delete(key);
      else if (known instanceof Set && known.delete(task) && known.size === 0) tasks.delete(key);
    },
    of: (key) => {
      const known = tasks.get(key);
      if (known === undefined) return nobody;
      return known instanceof Set ? known : [known];
    },
    has: (key) => tasks.has(key),
  };
}
