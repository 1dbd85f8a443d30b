/** The time, as an interface so that tests can control it. */
export interface Clock {
  /** Wall clock in milliseconds since 1970. It may jump: for records and for people, never for waiting. */
  readonly now: () => number;
  /** Milliseconds that never go back. */
  readonly monotonic: () => number;
  /** Calls `call` once after `ms`; what it returns cancels it. Never keeps the process alive by itself. */
  readonly after: (ms: number, call: () => void) => () => void;
}

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

/** The machine's own clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
