// Kept before the timers of this process are replaced.
const realSetImmediate = setImmediate;

/** Resolves in the next turn of the real event loop: after all promises and ticks. */
export function realTurn(): Promise<void> {
  return new Promise((resolve) => realSetImmediate(resolve));
}
