import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

import type { Clock } from '../../lib/time/clock.ts';
import { writeDurably } from '../../lib/files/durable-file.ts';
import { orNull } from '../../lib/or-null.ts';

/** Lets at most so many through in any stretch of time of one length, wherever it begins. */
export interface SlidingWindow {
  /** Null: let through, and counted. Else refused, not counted, and the milliseconds until the next can pass. */
  readonly take: () => number | null;
}

interface WindowOptions {
  readonly limit: number;
  readonly windowMs: number;
  readonly clock: Clock;
}

/** Exact: remembers when each of the last `limit` passed, by the monotonic clock. */
export function createSlidingWindow({
  limit,
  windowMs,
  clock,
  passed = [],
}: WindowOptions & { readonly passed?: number[] }): SlidingWindow {
  return {
    take: () => {
      const now = clock.monotonic();
      while (passed[0] !== undefined && passed[0] + windowMs <= now) passed.shift();
      const oldest = passed[0];
      if (passed.length >= limit && oldest !== undefined) return oldest + windowMs - now;
      passed.push(now);
      return null;
    },
  };
}

/** Digits of a time and a line break: each stands in a place of its own. */
const placeBytes = 16;

/**
 * A window that outlives its process: each time that passes stands in the file before `take` returns. It survives a
 * kill; after a power cut the window may be open again.
 */
export async function openSlidingWindow(
  path: string,
  options: WindowOptions,
): Promise<SlidingWindow & { readonly close: () => void }> {
  const { limit, clock } = options;
  const now = clock.now();
  // A clock that was set back must not let a burst pass: what seems to be in the future has just been.
  const times = readTimes(path)
    .map((time) => Math.min(time, now))
    .toSorted((a, b) => a - b)
    .slice(-limit);
  await writeDurably(path, times.map(placeOf).join(''));
  const file = openSync(path, 'r+');
  const window = createSlidingWindow({
    ...options,
    passed: times.map((time) => clock.monotonic() - (now - time)),
  });
  let place = times.length;
  return {
    take: () => {
      const waitMs = window.take();
      if (waitMs === null) {
        writeSync(file, placeOf(clock.now()), (place % limit) * placeBytes);
        place += 1;
      }
      return waitMs;
    },
    close: () => closeSync(file),
  };
}

function placeOf(time: number): string {
  return `${String(Math.floor(time)).padStart(placeBytes - 1, '0')}\n`;
}

function readTimes(path: string): readonly number[] {
  const lines = (orNull(() => readFileSync(path, 'latin1')) ?? '').split('\n');
  return lines.filter((line) => /^\d{15}$/.test(line)).map(Number);
}
