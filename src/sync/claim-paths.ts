import { refKey } from '../model/document.ts';
import type { DocumentRef } from '../model/document.ts';
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

/**
 * A record is about to leave this path: nothing may be deleted for it any more. True where another file has come, or may
 * have: what was about to be looked at has to be looked at still.
 */
export function leavePath({ desk }: Parts, ref: DocumentRef): boolean {
  const gone = desk.get(ref);
  if (gone === undefined) return false;
  desk.close(gone);
  return gone.present || gone.again || gone.phase === 'look' || gone.phase === 'looking';
}

/** A record has left this path: what `came` there before that or while the commit was under way has none. */
export function forgetRecord({ desk, clock, look }: Parts, ref: DocumentRef, came: boolean): void {
  const there = desk.get(ref);
  if (there !== undefined) desk.change(there, { hasRecord: false });
  else if (came) look(desk.open(ref, { present: true, lane: 'live', at: clock.now() }));
}

/** No move is seen; unless another one that brings a record to this very path is about to be durable. */
export function noMove({ moving }: Parts, task: Task): MoveResult {
  return moving.has(task.key) ? 'unclear' : 'none';
}
