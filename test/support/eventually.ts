import { setTimeout as delay } from 'node:timers/promises';

/**
 * Tries `probe` until it neither throws nor gives a falsy value; gives its value. Throws its last error after
 * `withinMs`.
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  { withinMs = 10_000, everyMs = 20 }: { withinMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  let last: unknown = new Error('never became true');
  for (;;) {
    try {
      const value = await probe();
      if (value) return value;
      last = new Error(`still ${JSON.stringify(value)} after ${withinMs} ms`);
    } catch (error) {
      last = error;
    }
    if (performance.now() >= deadline) throw last;
    await delay(everyMs);
  }
}
