import Bottleneck from 'bottleneck';

import type { Clock } from '../lib/clock.ts';
import { StoppedError } from '../model/errors.ts';
import type { SentRequest } from '../model/ports/ledger-port.ts';
import type { LimiterPort, Permit } from '../model/ports/service-port.ts';

const minuteMs = 60_000;
const aheadPriority = 0;
const usualPriority = 5;

export interface LimiterOptions {
  readonly requestsPerMinute: number;
  /** The sliding window; shorter only in tests. */
  readonly windowMs?: number;
  readonly clock: Clock;
  /** Requests of a former life that the service may still count. */
  readonly recent: readonly SentRequest[];
}

interface Place {
  /** Monotonic, ms; null while its request is under way. */
  freeAt: number | null;
}

interface Waiting {
  readonly ahead: boolean;
  readonly go: () => void;
  readonly stop: () => void;
}

/**
 * The sliding minute as the service counts it: a place comes free one window after its *answer*, so that no
 * window of the service's own clock ever holds more than the limit, however long a request travelled.
 */
export function createLimiter({
  requestsPerMinute: limit,
  windowMs = minuteMs,
  clock,
  recent,
}: LimiterOptions): LimiterPort {
  const now = clock.now();
  const counting = recent.map((request) => remainingMs(request, windowMs, now)).filter((ms) => ms > 0);
  const places = new Set<Place>();
  const timers = new Set<() => void>();
  let pause: { readonly until: number; readonly cancel: () => void } | null = null;
  let parked: Waiting[] = [];
  let closed = false;

  // Bottleneck dispatches at `last dispatch + minTime` of the wall clock: a clock set back by an hour would stop
  // it for an hour. With this the wall clock has no say; the reservoir alone decides.
  const queue = new Bottleneck({
    minTime: Number.NEGATIVE_INFINITY,
    reservoir: limit - counting.length,
  });

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

    pause: (ms) => {
      if (closed || !(ms > 0)) return;
      const until = clock.monotonic() + ms;
      if (pause !== null && pause.until >= until) return;
      // Taking the whole reservoir away, and not `updateSettings`, which stops it from filling for good.
      if (pause === null) add(-limit);
      pause?.cancel();
      pause = { until, cancel: clock.after(ms, resume) };
    },

    status: () => {
      const pauseMs = pause === null ? 0 : Math.max(0, pause.until - clock.monotonic());
      return {
        limit,
        used: places.size,
        windowMs,
        pausedUntil: pause === null ? null : clock.now() + pauseMs,
        nextFreeMs: Math.max(pauseMs, nextFreeMs()),
      };
    },

    waitMs: (requests) => {
      if (requests <= 0) return 0;
      const pauseMs = pause === null ? 0 : Math.max(0, pause.until - clock.monotonic());
      const current = clock.monotonic();
      const taken = [...places].map(({ freeAt }) => Math.max(0, (freeAt ?? current + windowMs) - current));
      // Each permit is taken again a window after its last use: those that are free come first.
      const permits = [...Array.from({ length: Math.max(0, limit - taken.length) }, () => 0), ...taken]
        .map((ms) => Math.max(ms, pauseMs))
        .sort((a, b) => a - b);
      const last = requests - 1;
      return (permits[last % permits.length] ?? 0) + Math.floor(last / permits.length) * windowMs;
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

  function admit(waiting: Waiting): void {
    if (closed) waiting.stop();
    // Dispatched in the same moment as a pause began: it keeps its place and goes when the pause is over.
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
    const place: Place = { freeAt: null };
    places.add(place);
    let used = false;
    const once = (call: () => void) => () => {
      if (used) return;
      used = true;
      call();
    };
    return { spent: once(() => freeLater(place, windowMs)), giveBack: once(() => free(place)) };
  }

  function freeLater(place: Place, ms: number): void {
    if (closed) return;
    places.add(place);
    place.freeAt = clock.monotonic() + ms;
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      free(place);
    });
    timers.add(cancel);
  }

  function free(place: Place): void {
    places.delete(place);
    add(1);
  }

  function add(count: number): void {
    if (closed) return;
    queue.incrementReservoir(count).catch(() => undefined);
  }

  function nextFreeMs(): number {
    if (places.size < limit) return 0;
    const times = [...places].map((place) => place.freeAt).filter((at) => at !== null);
    if (times.length === 0) return windowMs;
    return Math.max(0, Math.min(...times) - clock.monotonic());
  }
}

/** How long a request of a former life still counts. A clock that was set back must not make that longer than a window. */
function remainingMs({ answeredAt }: SentRequest, windowMs: number, now: number): number {
  if (answeredAt === null) return windowMs;
  return Math.min(windowMs, Math.max(0, answeredAt + windowMs - now));
}
