import type { Clock } from './clock.ts';

/** Says whether something ends within so many milliseconds; resolves when it has, or when they are over. */
export async function isWithin(clock: Clock, ms: number, ended: Promise<unknown>): Promise<boolean> {
  let cancel = () => {};
  const timeUp = new Promise<false>((resolve) => {
    cancel = clock.after(ms, () => resolve(false));
  });
  const isEnded = await Promise.race([ended.then(() => true), timeUp]);
  cancel();
  return isEnded;
}
