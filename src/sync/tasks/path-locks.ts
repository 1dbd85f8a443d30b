import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import type { TaskStore } from './task-store.ts';
import type { Task } from './task.ts';

/** Paths whose records are being changed or moved, until the commit is durable. */
export class PathLocks {
  readonly #tasks: Pick<TaskStore, 'get'>;
  readonly #keys = new Set<string>();

  constructor(tasks: Pick<TaskStore, 'get'>) {
    this.#tasks = tasks;
  }

  get size(): number {
    return this.#keys.size;
  }

  has(ref: DocumentRef): boolean {
    return this.#keys.size > 0 && this.#keys.has(refKey(ref));
  }

  /**
   * Locks paths for a task; without one, for what is written of them besides. What it returns unlocks them. Null: one of
   * them is locked by another, or another task's request is under way there, whose answer will write that path's record.
   */
  take(task: Task | undefined, refs: readonly DocumentRef[]): (() => void) | null {
    const isFree = refs.every((ref) => {
      const there = this.#tasks.get(ref);
      return !this.has(ref) && (there === task || there?.state.kind !== 'sending');
    });
    if (!isFree) return null;
    const keys = new Set(refs.map(refKey));
    for (const key of keys) this.#keys.add(key);
    return () => {
      for (const key of keys) this.#keys.delete(key);
    };
  }
}
