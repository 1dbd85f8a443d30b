// Kept before the timers of this process are replaced.
const realSetImmediate = setImmediate;

/** Between two immediates of one round Node settles all promises and ticks; a round of its loop costs much more. */
const inOneRound = 64;
let booked = 0;
let go = (): void => {};

/** Resolves after all promises and ticks. Only one may wait for it at a time. */
export function realTurn(): Promise<void> {
  return new Promise((resolve) => {
    go = resolve;
    if (booked > 0) return;
    booked = inOneRound;
    for (let left = inOneRound; left > 0; left -= 1) realSetImmediate(take);
  });
}

function take(): void {
  booked -= 1;
  go();
}
