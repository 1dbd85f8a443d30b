import type { Clock } from '../lib/time/clock.ts';
import { createDueTimes } from '../lib/time/due-times.ts';
import type { ScanCause } from '../model/document.ts';
import type { TimingSettings } from '../model/settings.ts';
import type { ScanOutcome, ScanRequest } from './walk/scan-request.ts';

export type Scheduler = ReturnType<typeof createScheduler>;

export interface SchedulerOptions {
  readonly clock: Clock;
  readonly timing: TimingSettings;
  /** Scans; never rejects. */
  readonly scan: (request: ScanRequest) => Promise<ScanOutcome>;
  /** Called with every outcome, before the next scan. */
  readonly done: (outcome: ScanOutcome) => void;
}

/** A directory is scanned once more when files in it have had their time to settle. */
const followUpSlackMs = 50;
/** Scans after events take at most one part in so many of the time. */
const restFactor = 4;
const longestRestMs = 2_000;
/** A folder whose watcher loses count all the time is scanned no more often. */
const lostCoolDownMs = 10_000;

/** Decides what is scanned when, one scan at a time. */
export function createScheduler({ clock, timing, scan, done }: SchedulerOptions) {
  let dirty = new Set<string>();
  let pendingFull: Pick<ScanRequest, 'cause' | 'fromScratch'> | null = null;
  /** Of those who wait for the next scan of everything. */
  let waiters: (() => void)[] = [];
  let pollDue = false;
  let running = false;
  let closed = false;
  let coveredUntil = -Infinity;
  /** When what reports no events was scanned last; Infinity: all of it reports them. */
  let polledUntil = -Infinity;
  let restUntil = 0;
  let lostUntil = 0;
  let cancelRest = () => {};
  let cancelPoll: (() => void) | null = null;
  let cancelLost: (() => void) | null = null;
  const followUps = createDueTimes<string>(clock, () => kick());
  /** Apart: what waits for its next try keeps nothing else waiting. */
  const retries = createDueTimes<string>(clock, () => {
    for (const directory of retries.take()) dirty.add(directory);
    kick();
  });
  let cancelRescan = clock.after(timing.rescanMinutes * 60_000, rescan);

  function kick(): void {
    if (running || closed) return;
    const request = next();
    if (request === null) return;
    running = true;
    void perform(request);
  }

  async function perform(request: ScanRequest): Promise<void> {
    const served = request.targets === 'all' ? waiters : [];
    if (request.targets === 'all') {
      pendingFull = null;
      waiters = [];
    }
    const began = clock.monotonic();
    const outcome = await scan(request);
    if (closed) {
      for (const waiter of served) waiter();
      return;
    }
    const took = clock.monotonic() - began;
    // Scans of everything are rare; the first one's time is that of the thread's start.
    if (request.targets !== 'all') restUntil = clock.monotonic() + Math.min(took * restFactor, longestRestMs);
    running = false;
    note(request, outcome);
    if (outcome.kind === 'scanned') {
      const isPoll = request.targets === 'all' || request.targets === 'withoutEvents';
      if (!outcome.report.eventless) polledUntil = Infinity;
      // Where nothing needs to settle, one look is enough.
      else if (isPoll || polledUntil === Infinity) polledUntil = began - Math.min(timing.settleMs, 0);
    }
    if (outcome.kind === 'scanned' && request.targets !== 'withoutEvents' && pendingFull === null && !pollDue)
      coveredUntil = began - timing.settleMs - followUpSlackMs;
    done(outcome);
    // Those who wait for a scan that has to be done again wait for that one.
    if (outcome.kind === 'moved') waiters.unshift(...served);
    else for (const waiter of served) waiter();
    kick();
  }

  /** Directories with events go first, so that a rescan finds only what had none. */
  function next(): ScanRequest | null {
    const resting = restUntil - clock.monotonic();
    if (pendingFull !== null && (pendingFull.fromScratch || dirty.size === 0)) {
      const { cause, fromScratch } = pendingFull;
      dirty = new Set();
      return { cause, fromScratch, targets: 'all' };
    }
    if (dirty.size > 0 && (resting <= 0 || pendingFull !== null)) {
      const targets = [...dirty, ...followUps.take()];
      dirty = new Set();
      return { cause: 'event', targets, fromScratch: false };
    }
    if (dirty.size > 0) {
      cancelRest();
      cancelRest = clock.after(resting, kick);
    }
    if (pollDue) {
      pollDue = false;
      return { cause: 'poll', targets: 'withoutEvents', fromScratch: false };
    }
    const due = followUps.take();
    return due.length === 0 ? null : { cause: 'event', targets: due, fromScratch: false };
  }

  function note(request: ScanRequest, outcome: ScanOutcome): void {
    if (outcome.kind === 'unavailable') {
      dirty.clear();
      followUps.clear();
      retries.clear();
      pollDue = false;
      endPoll();
      return;
    }
    if (outcome.kind === 'moved') {
      planFull('start', true);
      return;
    }
    // A new directory may be watched only after it was listed: once more, it is watched long before.
    if (request.cause !== 'poll' && !request.fromScratch) {
      const followUpAt = clock.monotonic() + timing.settleMs + followUpSlackMs;
      for (const directory of outcome.changed) followUps.set(directory, followUpAt);
    }
    retries.clear();
    for (const { path, againAt } of outcome.report.unreadable)
      if (againAt !== null) retries.set(path, againAt);
    // Scans after events do not put off the polls of what has none.
    if (request.cause !== 'event' || !outcome.report.withoutEvents) endPoll();
    if (!outcome.report.withoutEvents || cancelPoll !== null) return;
    // What is new at a start is looked at once more as soon as it may have settled.
    const isFirst = request.cause === 'start' && timing.settleMs >= 0;
    const inMs = isFirst ? timing.settleMs + followUpSlackMs : Infinity;
    cancelPoll = clock.after(Math.min(inMs, timing.pollSeconds * 1_000), poll);
  }

  function planFull(cause: ScanCause, fromScratch: boolean): void {
    if (pendingFull === null || fromScratch) pendingFull = { cause, fromScratch };
  }

  function isBusy(): boolean {
    const isPlanned = pendingFull !== null || cancelLost !== null || pollDue || followUps.size() > 0;
    return running || dirty.size > 0 || isPlanned;
  }

  function endPoll(): void {
    cancelPoll?.();
    cancelPoll = null;
  }

  function poll(): void {
    cancelPoll = null;
    pollDue = true;
    kick();
  }

  function rescan(): void {
    planFull('rescan', false);
    cancelRescan = clock.after(timing.rescanMinutes * 60_000, rescan);
    kick();
  }

  return {
    /** Something changed in these directories. */
    changed: (directories: readonly string[]): void => {
      if (closed) return;
      for (const directory of directories) dirty.add(directory);
      kick();
    },
    /** Scans everything; resolves when that is done, or when the folder turns out to be unavailable. */
    everything: (cause: ScanCause, fromScratch: boolean): Promise<void> =>
      new Promise((resolve) => {
        if (closed) {
          resolve();
          return;
        }
        waiters.push(resolve);
        planFull(cause, fromScratch);
        kick();
      }),
    /** Events were lost: scans everything, but not again and again. */
    lost: (fromScratch: boolean): void => {
      if (closed || cancelLost !== null) return;
      const wait = lostUntil - clock.monotonic();
      const begin = () => {
        cancelLost = null;
        lostUntil = clock.monotonic() + lostCoolDownMs;
        planFull('overflow', fromScratch);
        kick();
      };
      if (wait <= 0) begin();
      else cancelLost = clock.after(wait, begin);
    },
    /**
     * Monotonic ms: what changed before that was scanned, and once more when it had settled; where there are no events, as
     * far as it was polled. A file that never stops growing keeps a folder busy, and does not hold this back. -Infinity:
     * not yet.
     */
    coveredUntil: (): number => Math.min(isBusy() ? coveredUntil : clock.monotonic(), polledUntil),
    /** True while an event waits for its scan, a scan runs, or one is to follow. */
    busy: isBusy,
    close: (): void => {
      closed = true;
      cancelRest();
      endPoll();
      cancelLost?.();
      cancelRescan();
      followUps.clear();
      retries.clear();
      for (const waiter of waiters) waiter();
    },
  };
}
