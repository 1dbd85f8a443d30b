import { refKey } from '../core/document.ts';
import type { DocumentRef } from '../core/document.ts';
import type { Parts } from './parts.ts';
import type { Task } from './task.ts';

/** What came of looking for a move. `unclear`: something of it is under way; it has to be looked at again soon. */
export type MoveResult = 'moved' | 'none' | 'unclear';

/**
 * Takes the paths of a move until its commit is durable; what it returns gives them back. Null: one of them is in
 * another move, or another task's request is under way there and its answer will write the record of that path.
 */
export function claimPaths(
  { desk, moving }: Parts,
  task: Task,
  refs: readonly DocumentRef[],
): (() => void) | null {
  const isFree = refs.every((ref) => {
    const there = desk.get(ref);
    return !moving.has(refKey(ref)) && (there === task || there?.phase !== 'sending');
  });
  if (!isFree) return null;
  const keys = new Set(refs.map(refKey));
  for (const key of keys) moving.add(key);
  return () => {
    for (const key of keys) moving.delete(key);
  };
}

/** A record has left this path: what came there while the commit was under way has none. */
export function forgetRecord({ desk }: Parts, ref: DocumentRef): void {
  const came = desk.get(ref);
  if (came !== undefined) desk.change(came, { hasRecord: false });
}

/** No move is seen; unless another one that brings a record to this very path is about to be durable. */
export function noMove({ moving }: Parts, task: Task): MoveResult {
  return moving.has(task.key) ? 'unclear' : 'none';
}
