import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Gives threads that begin from now on a young generation of so many megabytes, whatever holds for this one. */
export function giveYoungGeneration(megabytes: number): void {
  // It consists of three parts of one size.
  setFlagsFromString(`--min-semi-space-size=${Math.floor(megabytes / 3)}`);
}

/**
 * Leaves this thread's young generation at the size it has, a few MB. By itself it grows to 48 MB during a start and
 * keeps them. V8 forgets this whenever a thread begins.
 */
export function keepYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For a start, which keeps nearly all that it makes: V8 looks for garbage only when the heap is ten times as large, and
 * copies young objects on this thread alone. Its helpers would have to wait for a processor while a tree is scanned,
 * and this thread for them. `keepHeapSmall` ends it.
 */
export function letHeapGrow(): void {
  setFlagsFromString('--heap-growing-percent=900');
  setFlagsFromString('--no-parallel-scavenge');
}

/**
 * Collects the garbage of a start, in about 40 ms, and from then on whenever the heap has grown by a quarter. By itself
 * V8 waits until it is four times as large: the first run after an import replaces every record, and took 100 MB more.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=25');
  setFlagsFromString('--parallel-scavenge');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as (() => void) | undefined;
  collect?.();
}
