import Bottleneck from 'bottleneck';

import { countingMs } from '../lib/queue/permits.ts';
import { toTheSecond } from '../lib/time/clock.ts';
import type { Clock } from '../lib/time/clock.ts';
import { StoppedError } from '../model/errors.ts';
import type { SentRequest } from '../model/ports/ledger-port.ts';
import type { Demand, LimiterPort, Permit, PermitSource } from '../model/ports/service-port.ts';

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
  /** The minute that this host shares with others: each permit is one of it. Null or left out: it is this host's alone. */
  readonly source?: PermitSource | null;
}

interface Slot {
  /** Monotonic, ms; null while its request is under way. */
  freeAt: number | null;
}

interface Waiting {
  readonly ahead: boolean;
  readonly go: (permit: Permit) => void;
  readonly stop: () => void;
}

/**
 * The sliding minute as the service counts it: a permit comes free one window after its *answer*, so that no
 * window of the service's own clock ever holds more than the limit, however long a request travelled. Where the minute
 * is shared, its permits come from `source`, and no more at once than this host's own minute has room for.
 */
export function createLimiter({
  requestsPerMinute: limit,
  windowMs = minuteMs,
  clock,
  recent,
  source = null,
}: LimiterOptions): LimiterPort {
  const counting = countingMs(recent, { limit, windowMs, clock });
  /** Who waits for a permit. */
  const line = new Set<Waiting>();
  /** Permits of the source for those in line whose turn Bottleneck is about to give them. */
  const granted: Permit[] = [];
  const slots = new Set<Slot>();
  const timers = new Set<() => void>();
  /** `until`: monotonic, ms; `end`: the same by the wall clock. */
  let pause: {
    readonly since: string;
    readonly until: number;
    readonly end: number;
    readonly message: string;
    readonly cancel: () => void;
  } | null = null;
  let parked: Waiting[] = [];
  let closed = false;

  // Bottleneck's reservoir is the minute, or what the source has granted of it. It is filled by our own timers, which
  // are monotonic: its refresh interval follows the wall clock.
  const queue = new Bottleneck({
    // Bottleneck dispatches at `last dispatch + minTime` of the wall clock. With this, that is always long ago.
    minTime: Number.NEGATIVE_INFINITY,
    reservoir: source === null ? limit - counting.length : 0,
  });
  // "Last dispatch" begins as the time of construction, which lies ahead when the clock is set back before the first
  // request. A job that takes no permit comes first: if anything waits for the wall clock, it alone does.
  queue.schedule({ priority: firstPriority, weight: 0 }, async () => {}).catch(() => undefined);

  for (const ms of counting) freeLater({ freeAt: null }, ms);
  source?.begin({ wanted, grant });

  return {
    take: ({ ahead = false } = {}) =>
      new Promise<Permit>((resolve, reject) => {
        const stop = () => reject(new StoppedError('the limiter is closed'));
        if (closed) return stop();
        enter({ ahead, stop, go: resolve });
      }),

    ...(source === null ? {} : { demand: (demand: Demand) => source.demand(demand) }),

    pause: (ms, message) => {
      if (closed || !(ms > 0)) return;
      const now = clock.monotonic();
      const until = now + ms;
      if (pause !== null && pause.until >= until) return;
      // The reservoir is emptied by `incrementReservoir`: `updateSettings` would stop refilling for good.
      if (pause === null && source === null) add(-limit);
      pause?.cancel();
      const since = pause?.since ?? toTheSecond(clock.now());
      pause = { since, until, end: clock.now() + ms, message, cancel: clock.after(ms, resume) };
      source?.pause(ms);
    },

    status: () => {
      const shared = source?.status();
      const own = pauseLeftMs();
      const pauseMs = Math.max(own, shared?.pauseMs ?? 0);
      return {
        limit,
        used: shared?.used ?? slots.size,
        windowMs,
        pausedUntil: pauseMs > own ? clock.now() + pauseMs : (pause?.end ?? null),
        ...(pause !== null && { pausedBy: { since: pause.since, message: pause.message } }),
        nextFreeMs: Math.max(pauseMs, freeInMs(0), shared?.nextFreeMs ?? 0),
      };
    },

    waitMs: (own) => {
      if (own <= 0) return 0;
      const shared = source?.status();
      // With others in line, this host has its part of the minute.
      const requests = own * Math.max(1, shared?.waiting ?? 1);
      const pauseMs = Math.max(pauseLeftMs(), shared?.nextFreeMs ?? 0);
      // Each permit is taken again a window after its last use: those that are free come first.
      const places = Math.max(limit, slots.size);
      const windows = Math.floor((requests - 1) / places);
      return Math.max(pauseMs, freeInMs((requests - 1) % places)) + windows * windowMs;
    },

    close: () => {
      if (closed) return;
      closed = true;
      pause?.cancel();
      for (const cancel of timers) cancel();
      timers.clear();
      for (const waiting of parked) waiting.stop();
      parked = [];
      for (const permit of granted.splice(0)) permit.giveBack();
      queue.stop({ dropWaitingJobs: true }).catch(() => undefined);
    },
  };

  function enter(waiting: Waiting): void {
    line.add(waiting);
    const priority = waiting.ahead ? aheadPriority : usualPriority;
    queue.schedule({ priority }, async () => admit(waiting)).catch(waiting.stop);
    source?.changed();
  }

  /** What the source is to give. */
  function wanted(): ReturnType<Parameters<PermitSource['begin']>[0]['wanted']> {
    const count = Math.min(line.size, limit - slots.size) - granted.length;
    const isAhead = [...line].some(({ ahead }) => ahead);
    return closed || pause !== null || count <= 0 ? { count: 0, isAhead } : { count, isAhead };
  }

  function grant(permit: Permit): void {
    if (closed) return permit.giveBack();
    granted.push(permit);
    add(1);
  }

  function pauseLeftMs(): number {
    return pause === null ? 0 : Math.max(0, pause.until - clock.monotonic());
  }

  function admit(waiting: Waiting): void {
    const shared = granted.shift();
    line.delete(waiting);
    if (closed) waiting.stop();
    else if (pause === null) waiting.go(occupy(shared));
    // Dispatched in the moment a pause began: it keeps its slot and goes after the pause.
    else if (source === null) parked.push(waiting);
    else {
      shared?.giveBack();
      enter(waiting);
    }
  }

  function resume(): void {
    pause = null;
    if (source === null) add(limit);
    source?.changed();
    const ready = parked.sort((a, b) => Number(b.ahead) - Number(a.ahead));
    parked = [];
    for (const waiting of ready) waiting.go(occupy());
  }

  /** `shared`: the permit of the source that it is. */
  function occupy(shared?: Permit): Permit {
    const slot: Slot = { freeAt: null };
    slots.add(slot);
    let isEnded = false;
    /** Once: whichever of its two ends comes first. */
    const end = (isSpent: boolean) => () => {
      if (isEnded) return;
      isEnded = true;
      if (isSpent) freeLater(slot, windowMs);
      else free(slot);
      if (isSpent) shared?.spent();
      else shared?.giveBack();
    };
    return { spent: end(true), giveBack: end(false), guard: shared?.guard };
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
    if (source === null) add(1);
    else if (line.size > 0) source.changed();
  }

  function add(count: number): void {
    if (closed) return;
    queue.incrementReservoir(count).catch(() => undefined);
  }

  /** When the place comes free that so many others come free before; those that are free come first. */
  function freeInMs(place: number): number {
    const free = Math.max(0, limit - slots.size);
    if (place < free) return 0;
    const now = clock.monotonic();
    const taken = [...slots].map(({ freeAt }) => Math.max(0, (freeAt ?? now + windowMs) - now));
    return taken.sort((a, b) => a - b)[place - free] ?? 0;
  }
}
