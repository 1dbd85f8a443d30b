/** Call it between the steps of long work; wait for what it returns, if anything, before the next step. */
export type TimeSlice = () => Promise<void> | undefined;

/** Upper bound for the delay of other events. */
const sliceMs = 8;

/**
 * Breaks long work into slices of a few milliseconds, so that it never holds the event loop for long.
 * `askEvery`: the clock is read at every so many calls. Reading it costs as much as a third of an lstat, so work with
 * very short steps says 32.
 */
export function createTimeSlice(askEvery = 1): TimeSlice {
  let began = performance.now();
  let calls = 0;
  return () => {
    calls += 1;
    if (calls % askEvery !== 0 || performance.now() - began < sliceMs) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        began = performance.now();
        resolve();
      });
    });
  };
}
