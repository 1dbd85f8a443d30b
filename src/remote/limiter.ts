import Bottleneck from 'bottleneck';

import { countingMs, endPermitOnce } from '../lib/queue/permits.ts';
import { wallTimeOf } from '../lib/time/clock.ts';
import type { Clock } from '../lib/time/clock.ts';
import { StoppedError } from '../model/errors.ts';
import type { SentRequest } from '../model/ports/ledger-port.ts';
import type { LimiterPort, Permit } from '../model/ports/service-port.ts';

const minuteMs = 60_000;
const firstPriority = 0;
const aheadPriority = 1;
const usualPriority = 5;

export interface LimiterOptions {
  readonly requestsPerMinute: number;
  /** The sliding window; shorter only in tests. */
  readonly windowMs?: number;
  readonly clock: Clock;
  /** Requests sent before this start that the service may still count. */
  readonly recent: readonly SentRequest[];
}

interface Slot {
  /** Monotonic, ms; null while its request is under way. */
  freeAt: number | null;
}

interface Waiting {
  readonly ahead: boolean;
  readonly go: () => void;
  readonly stop: () => void;
}

/**
 * The sliding minute as the service counts it: a permit comes free one window after its *answer*, so that no
 * window of the service's own clock ever holds more than the limit, however long a request travelled.
 */
export function createLimiter({
  requestsPerMinute: limit,
  windowMs = minuteMs,
  clock,
  recent,
}: LimiterOptions): LimiterPort {
  const counting = countingMs(recent, { limit, windowMs, clock });
  const slots = new Set<Slot>();
  const timers = new Set<() => void>();
  /** `since` and `until`: monotonic, ms. */
  let pause: {
    readonly since: number;
    readonly until: number;
    readonly message: string;
    readonly cancel: () => void;
  } | null = null;
  let parked: Waiting[] = [];
  let closed = false;

  // Bottleneck's reservoir is the minute. It is filled by our own timers, which are monotonic: its refresh interval
  // follows the wall clock.
  const queue = new Bottleneck({
    // Bottleneck dispatches at `last dispatch + minTime` of the wall clock. With this, that is always long ago.
    minTime: Number.NEGATIVE_INFINITY,
    reservoir: limit - counting.length,
  });
  // "Last dispatch" begins as the time of construction, which lies ahead when the clock is set back before the first
  // request. A job that takes no permit comes first: if anything waits for the wall clock, it alone does.
  queue.schedule({ priority: firstPriority, weight: 0 }, async () => {}).catch(() => undefined);

  for (const ms of counting) freeLater({ freeAt: null }, ms);

  return {
    take: ({ ahead = false } = {}) =>
      new Promise<Permit>((resolve, reject) => {
        const stop = () => reject(new StoppedError('the limiter is closed'));
        if (closed) return stop();
        const waiting: Waiting = { ahead, stop, go: () => resolve(occupy()) };
        const priority = ahead ? aheadPriority : usualPriority;
        queue.schedule({ priority }, async () => admit(waiting)).catch(stop);
      }),

    pause: (ms, message) => {
      if (closed || !(ms > 0)) return;
      const now = clock.monotonic();
      const until = now + ms;
      if (pause !== null && pause.until >= until) return;
      // The reservoir is emptied by `incrementReservoir`: `updateSettings` would stop refilling for good.
      if (pause === null) add(-limit);
      pause?.cancel();
      pause = { since: pause?.since ?? now, until, message, cancel: clock.after(ms, resume) };
    },

    status: () => {
      const pauseMs = pauseLeftMs();
      return {
        limit,
        used: slots.size,
        windowMs,
        pausedUntil: pause === null ? null : clock.now() + pauseMs,
        ...(pause === null
          ? {}
          : { pausedBy: { since: wallTimeOf(pause.since, clock), message: pause.message } }),
        nextFreeMs: Math.max(pauseMs, nextFreeMs()),
      };
    },

    waitMs: (requests) => {
      if (requests <= 0) return 0;
      const pauseMs = pauseLeftMs();
      // Each permit is taken again a window after its last use: those that are free come first.
      const free = Math.max(0, limit - slots.size);
      const windows = Math.floor((requests - 1) / (free + slots.size));
      const place = (requests - 1) % (free + slots.size);
      if (place < free) return pauseMs + windows * windowMs;
      const current = clock.monotonic();
      const taken = [...slots].map(({ freeAt }) => Math.max(0, (freeAt ?? current + windowMs) - current));
      return Math.max(pauseMs, taken.sort((a, b) => a - b)[place - free] ?? 0) + windows * windowMs;
    },

    close: () => {
      if (closed) return;
      closed = true;
      pause?.cancel();
      for (const cancel of timers) cancel();
      timers.clear();
      for (const waiting of parked) waiting.stop();
      parked = [];
      queue.stop({ dropWaitingJobs: true }).catch(() => undefined);
    },
  };

  function pauseLeftMs(): number {
    return pause === null ? 0 : Math.max(0, pause.until - clock.monotonic());
  }

  function admit(waiting: Waiting): void {
    if (closed) waiting.stop();
    // Dispatched in the moment a pause began: it keeps its slot and goes after the pause.
    else if (pause !== null) parked.push(waiting);
    else waiting.go();
  }

  function resume(): void {
    pause = null;
    add(limit);
    const ready = parked.sort((a, b) => Number(b.ahead) - Number(a.ahead));
    parked = [];
    for (const waiting of ready) waiting.go();
  }

  function occupy(): Permit {
    const slot: Slot = { freeAt: null };
    slots.add(slot);
    return endPermitOnce((isSpent) => (isSpent ? freeLater(slot, windowMs) : free(slot)));
  }

  function freeLater(slot: Slot, ms: number): void {
    if (closed) return;
    slots.add(slot);
    slot.freeAt = clock.monotonic() + ms;
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      free(slot);
    });
    timers.add(cancel);
  }

  function free(slot: Slot): void {
    slots.delete(slot);
    add(1);
  }

  function add(count: number): void {
    if (closed) return;
    queue.incrementReservoir(count).catch(() => undefined);
  }

  function nextFreeMs(): number {
    if (slots.size < limit) return 0;
    const times = [...slots].map((slot) => slot.freeAt).filter((at) => at !== null);
    if (times.length === 0) return windowMs;
    return Math.max(0, times.reduce((least, at) => Math.min(least, at)) - clock.monotonic());
  }
}
