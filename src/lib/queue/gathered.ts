import { createTurns } from './turns.ts';

/** Handles together what comes while it is at work: what is given to each, or fails, was begun after it came. */
export function createGathered<T, Result>(
  handle: (items: readonly T[]) => Promise<Result>,
  inTurn = createTurns(),
): (item: T) => Promise<Result> {
  let waiting: T[] = [];
  let handled: Promise<Result> | null = null;
  return (item) => {
    waiting.push(item);
    handled ??= inTurn(() => {
      const items = waiting;
      waiting = [];
      handled = null;
      return handle(items);
    });
    return handled;
  };
}
