import { syncBuiltinESMExports } from 'node:module';
import perfHooks from 'node:perf_hooks';
import timers from 'node:timers/promises';

import type { Scheduler } from './scheduler.ts';

/** What a timer gives: bottleneck and Node's own modules unref, refresh or clear it. */
interface Timer {
  readonly cancel: () => void;
  readonly unref: () => Timer;
  readonly ref: () => Timer;
  readonly hasRef: () => boolean;
}

/** What a machine gives instead of what Node has by itself. */
interface Globals {
  readonly scheduler: () => Scheduler;
  readonly wallClock: () => number;
  readonly random: () => number;
  readonly isThere: () => boolean;
}

/** Lets a scheduler drive every timer of this process, its clocks and its chance. There is no way back. */
export function replaceGlobals({ scheduler: current, wallClock, random, isThere }: Globals): void {
  const realNow = performance.now.bind(performance);
  const timer = (cancel: () => void): Timer => {
    const self: Timer = { cancel, unref: () => self, ref: () => self, hasRef: () => false };
    return self;
  };
  const set = (call: (...args: readonly unknown[]) => void, ms = 0, ...args: readonly unknown[]) =>
    timer(current().after(ms, () => call(...args)));
  const repeat = (call: (...args: readonly unknown[]) => void, ms = 0, ...args: readonly unknown[]) => {
    let cancel = () => {};
    const again = () => {
      cancel = current().after(ms, () => {
        again();
        call(...args);
      });
    };
    again();
    return timer(() => cancel());
  };
  const clear = (known?: Timer | null) => known?.cancel?.();
  Object.assign(globalThis, {
    setTimeout: set,
    setInterval: repeat,
    setImmediate: (call: (...args: readonly unknown[]) => void, ...args: readonly unknown[]) =>
      set(call, 0, ...args),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  });
  const wait = (ms = 0, value?: unknown) =>
    current()
      .wait(ms)
      .then(() => value);
  Object.assign(timers, { setTimeout: wait, setImmediate: (value?: unknown) => wait(0, value) });
  Object.defineProperty(performance, 'now', { value: () => (isThere() ? current().now() : realNow()) });
  Object.assign(perfHooks, {
    monitorEventLoopDelay: () => ({ enable: () => {}, reset: () => {}, count: 0, max: 0 }),
  });
  Object.assign(Math, { random });
  Date.now = wallClock;
  syncBuiltinESMExports();
}
