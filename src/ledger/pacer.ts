import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 8;

/** Long work in slices: each call gives the event loop its turn when a slice is used up. */
export function createPacer(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < SLICE_MS) return undefined;
    return nextTurn().then(() => {
      began = performance.now();
      return undefined;
    });
  };
}
