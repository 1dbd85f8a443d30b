import type { Clock } from '../lib/clock.ts';
import type { ScanCause } from '../model/document.ts';
import type { TimingSettings } from '../model/settings.ts';
import { createDueTimes } from '../lib/due-times.ts';
import type { SweepOutcome, SweepRequest } from './worker/protocol.ts';

/** Decides what is swept when, one sweep at a time. */
export interface Rounds {
  /** Directories rang. */
  readonly ring: (directories: readonly string[]) => void;
  /** Sweeps everything; resolves when that is done, or when the folder turns out to be unavailable. */
  readonly everything: (cause: ScanCause, anew: boolean) => Promise<void>;
  /** Rings were lost: sweeps everything, but not again and again. */
  readonly lost: (anew: boolean) => void;
  /** True while a ring waits for its sweep, a sweep runs, or one is to follow. */
  readonly busy: () => boolean;
  readonly close: () => void;
}

export interface RoundsParts {
  readonly clock: Clock;
  readonly timing: TimingSettings;
  /** Sweeps; never rejects. */
  readonly sweep: (request: SweepRequest) => Promise<SweepOutcome>;
  /** Told of every outcome, before the next sweep. */
  readonly done: (outcome: SweepOutcome, cause: ScanCause) => void;
}

/** A directory is swept once more when files in it have had their time to settle. */
const followUpSlackMs = 50;
/** Sweeps of what rings take at most one part in so many of the time. */
const restFactor = 4;
const longestRestMs = 2_000;
/** A folder whose watcher loses count all the time is swept no more often. */
const lostCoolDownMs = 10_000;

interface Full {
  cause: ScanCause;
  anew: boolean;
  readonly waiters: (() => void)[];
}

export function createRounds({ clock, timing, sweep, done }: RoundsParts): Rounds {
  let rung = new Set<string>();
  let full: Full | null = null;
  let silentDue = false;
  let running = false;
  let closed = false;
  let restUntil = 0;
  let lostUntil = 0;
  let cancelRest = () => {};
  let cancelPoll = () => {};
  let cancelLost: (() => void) | null = null;
  const followUps = createDueTimes<string>(clock, () => kick());
  let cancelRescan = clock.after(timing.rescanMinutes * 60_000, rescan);

  function kick(): void {
    if (running || closed) return;
    const request = next();
    if (request === null) return;
    running = true;
    void perform(request);
  }

  async function perform(request: SweepRequest): Promise<void> {
    const waiters = request.targets === 'all' ? (full?.waiters ?? []) : [];
    if (request.targets === 'all') full = null;
    const began = clock.monotonic();
    const outcome = await sweep(request);
    if (closed) {
      for (const waiter of waiters) waiter();
      return;
    }
    const took = clock.monotonic() - began;
    // Sweeps of everything are rare; the first one's time is that of the thread's start.
    if (request.targets !== 'all') restUntil = clock.monotonic() + Math.min(took * restFactor, longestRestMs);
    running = false;
    note(request, outcome, waiters);
    done(outcome, request.cause);
    // Those who wait for a sweep that has to be done again wait for that one.
    if (outcome.kind !== 'moved' && !again(outcome)) for (const waiter of waiters) waiter();
    kick();
  }

  /** What rang goes first, so that a rescan finds only what did not. */
  function next(): SweepRequest | null {
    const resting = restUntil - clock.monotonic();
    if (full !== null && (full.anew || rung.size === 0)) {
      const { cause, anew } = full;
      rung = new Set();
      return { cause, anew, targets: 'all' };
    }
    if (rung.size > 0 && (resting <= 0 || full !== null)) {
      const targets = [...rung, ...followUps.take()];
      rung = new Set();
      return { cause: 'event', targets, anew: false };
    }
    if (rung.size > 0) {
      cancelRest();
      cancelRest = clock.after(resting, kick);
    }
    if (silentDue) {
      silentDue = false;
      return { cause: 'poll', targets: 'silent', anew: false };
    }
    const due = followUps.take();
    return due.length === 0 ? null : { cause: 'event', targets: due, anew: false };
  }

  function note(request: SweepRequest, outcome: SweepOutcome, waiters: readonly (() => void)[]): void {
    if (outcome.kind === 'unavailable') {
      rung.clear();
      followUps.clear();
      silentDue = false;
      cancelPoll();
      return;
    }
    if (outcome.kind === 'moved') {
      plan('start', true, waiters);
      return;
    }
    // Of a few new directories the follow-up takes care; there the watches are set long before.
    if (again(outcome)) plan(request.cause, false, waiters);
    if (outcome.outgrown) plan('overflow', true, []);
    if (request.cause === 'event' || request.cause === 'rescan') {
      const followUpAt = clock.monotonic() + timing.settleMs + followUpSlackMs;
      for (const directory of outcome.changed) followUps.set(directory, followUpAt);
    }
    cancelPoll();
    if (outcome.report.silent) cancelPoll = clock.after(timing.pollSeconds * 1_000, poll);
  }

  function again(outcome: SweepOutcome): boolean {
    return outcome.kind === 'swept' && outcome.full && outcome.late;
  }

  function plan(cause: ScanCause, anew: boolean, waiters: readonly (() => void)[]): void {
    if (full === null) full = { cause, anew, waiters: [...waiters] };
    else {
      full.anew ||= anew;
      if (anew) full.cause = cause;
      full.waiters.push(...waiters);
    }
  }

  function poll(): void {
    silentDue = true;
    kick();
  }

  function rescan(): void {
    plan('rescan', false, []);
    cancelRescan = clock.after(timing.rescanMinutes * 60_000, rescan);
    kick();
  }

  return {
    ring: (directories) => {
      if (closed) return;
      for (const directory of directories) rung.add(directory);
      kick();
    },
    everything: (cause, anew) =>
      new Promise((resolve) => {
        if (closed) {
          resolve();
          return;
        }
        plan(cause, anew, [resolve]);
        kick();
      }),
    lost: (anew) => {
      if (closed || cancelLost !== null) return;
      const wait = lostUntil - clock.monotonic();
      const begin = () => {
        cancelLost = null;
        lostUntil = clock.monotonic() + lostCoolDownMs;
        plan('overflow', anew, []);
        kick();
      };
      if (wait <= 0) begin();
      else cancelLost = clock.after(wait, begin);
    },
    busy: () => running || rung.size > 0 || full !== null || silentDue || followUps.size() > 0,
    close: () => {
      closed = true;
      cancelRest();
      cancelPoll();
      cancelLost?.();
      cancelRescan();
      followUps.clear();
      for (const waiter of full?.waiters ?? []) waiter();
    },
  };
}
