import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

import type { Scheduler } from './scheduler.ts';

/** What a timer gives: bottleneck and Node's own modules unref, refresh or clear it. */
interface Timer {
  readonly cancel: () => void;
  readonly unref: () => Timer;
  readonly ref: () => Timer;
  readonly hasRef: () => boolean;
}

/** Lets a scheduler drive every timer of this process, and both of its clocks. There is no way back. */
export function replaceGlobals(
  current: () => Scheduler,
  wallClock: () => number,
  isThere: () => boolean,
): void {
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
  Date.now = wallClock;
  syncBuiltinESMExports();
}
