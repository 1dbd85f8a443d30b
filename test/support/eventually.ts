import { setTimeout as delay } from 'node:timers/promises';

/**
 * Tries `probe` until it neither throws nor gives a falsy value; gives its value. Throws its last error after
 * `withinMs`. Without `everyMs` it asks less often the longer it takes: a probe of a daemon keeps both processes busy.
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  { withinMs = 60_000, everyMs }: { withinMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const begun = performance.now();
  let last: unknown = new Error('never became true');
  for (;;) {
    try {
      const value = await probe();
      if (value) return value;
      last = new Error(`still ${JSON.stringify(value)} after ${withinMs} ms`);
    } catch (error) {
      last = error;
    }
    const passedMs = performance.now() - begun;
    if (passedMs >= withinMs) throw last;
    await delay(everyMs ?? Math.min(Math.max(20, passedMs / 10), 100));
  }
}

/** Waits until what is asserted holds, as `eventually` does. */
export async function eventuallyHolds(
  assert: () => unknown,
  options?: Parameters<typeof eventually>[1],
): Promise<void> {
  await eventually(async () => {
    await assert();
    return true;
  }, options);
}
