import type { Clock } from '../lib/time/clock.ts';

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
