import type { Clock } from '../core/clock.ts';
import type { SweepCause } from '../core/document.ts';
import type { TimingSettings } from '../core/settings.ts';
import type { SweepOutcome, SweepReport, SweepRequest } from './sweep-messages.ts';

type Swept = Extract<SweepOutcome, { kind: 'swept' }>;

/** Decides when what is swept: rings, follow-ups, rescans, polls, and a root that comes and goes. */
export interface SweepSchedule {
  /** Sweeps everything; resolves when that was done once, or the root is not there. */
  readonly everything: (cause: SweepCause) => Promise<void>;
  readonly rings: (directories: readonly string[]) => void;
  /** Something was missed: everything is swept, not more often than the cool-down lets. */
  readonly lost: () => void;
  readonly isBusy: () => boolean;
  readonly report: () => SweepReport | null;
  /** Why the root cannot be swept; null: it can. */
  readonly trouble: () => { readonly code: string; readonly message: string } | null;
  readonly close: () => void;
}

interface Tools {
  readonly clock: Clock;
  readonly timing: TimingSettings;
  readonly sweep: (request: SweepRequest) => Promise<SweepOutcome>;
  readonly swept: (cause: SweepCause, outcome: Swept) => void;
  /** Whether the root is the one that was swept last. */
  readonly rootStands: () => Promise<boolean>;
  readonly changed: () => void;
}

const rootAskMs = 1_000;
const coolDownMs = 10_000;
/** A root that changes while it is swept is tried again after this. */
const movedOnMs = 200;

export function createSweepSchedule(tools: Tools): SweepSchedule {
  const { clock, timing } = tools;
  let full: { cause: SweepCause; anew: boolean } | null = null;
  let silent = false;
  const rung = new Set<string>();
  const settled = new Set<string>();
  let waiters: (() => void)[] = [];
  let running = false;
  let closed = false;
  let report: SweepReport | null = null;
  let trouble: { code: string; message: string } | null = null;
  let lostAt = -Infinity;
  const timers = new Map<string, () => void>();

  function later(name: string, ms: number, act: () => void): void {
    if (closed) return;
    timers.get(name)?.();
    timers.set(name, clock.after(ms, act));
  }

  function wantFull(cause: SweepCause, anew = false): void {
    full = { cause: full?.cause === 'start' ? 'start' : cause, anew: anew || full?.anew === true };
    void run();
  }

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    try {
      for (let request = next(); request !== null; request = next()) await attempt(request);
    } finally {
      running = false;
    }
    if (closed) return;
    for (const wake of waiters) wake();
    waiters = [];
    tools.changed();
  }

  function next(): SweepRequest | null {
    if (closed) return null;
    if (full !== null) {
      const { cause, anew } = full;
      full = null;
      rung.clear();
      settled.clear();
      return { cause, targets: 'all', deep: true, anew };
    }
    if (rung.size > 0) {
      const targets = [...rung];
      rung.clear();
      return { cause: 'ring', targets, deep: false, anew: false };
    }
    if (!silent) return null;
    silent = false;
    return { cause: 'poll', targets: 'silent', deep: false, anew: false };
  }

  async function attempt(request: SweepRequest): Promise<void> {
    const outcome = await tools.sweep(request);
    if (closed) return;
    switch (outcome.kind) {
      case 'swept':
        take(request, outcome);
        return;
      case 'moved':
        if (request.targets === 'all') later('again', movedOnMs, () => wantFull(request.cause, true));
        else full = { cause: 'lost-count', anew: true };
        return;
      case 'unavailable':
        trouble = { code: outcome.code, message: outcome.message };
        later('again', rootAskMs, () => wantFull(request.cause === 'start' ? 'start' : 'lost-count', true));
        return;
      default:
        outcome satisfies never;
    }
  }

  function take(request: SweepRequest, outcome: Swept): void {
    report = outcome.report;
    trouble = null;
    if (outcome.full) tools.swept(request.cause, outcome);
    for (const directory of [...outcome.changed, ...outcome.fresh]) settled.add(directory);
    if (outcome.outgrown) full = { cause: 'lost-count', anew: true };
    else if (outcome.late) followUp(request);
    // What changed is looked at once more when it has settled: rings that came with the first are not told.
    if (settled.size > 0) later('settled', timing.settleMs, () => ring([...settled]));
    if (outcome.full) later('rescan', timing.rescanMinutes * 60_000, () => wantFull('rescan'));
    if (outcome.report.polled || outcome.report.silent) {
      later('poll', timing.pollSeconds * 1000, () => {
        silent = true;
        void run();
      });
    }
    later('root', rootAskMs, () => void askForRoot());
  }

  /** Watches were set after the reading: what happened in between rang for nobody. */
  function followUp(request: SweepRequest): void {
    if (request.targets === 'all') full = { cause: request.cause, anew: false };
    else if (request.targets !== 'silent') for (const directory of request.targets) rung.add(directory);
  }

  async function askForRoot(): Promise<void> {
    if (closed || running) return later('root', rootAskMs, () => void askForRoot());
    if (!(await tools.rootStands()) && !closed) wantFull('lost-count', true);
    else later('root', rootAskMs, () => void askForRoot());
  }

  function ring(directories: readonly string[]): void {
    for (const directory of directories) {
      rung.add(directory);
      settled.delete(directory);
    }
    void run();
  }

  return {
    everything: (cause) =>
      new Promise((resolve) => {
        waiters.push(resolve);
        wantFull(cause);
      }),
    rings: ring,
    lost: () => {
      const wait = Math.max(0, lostAt + coolDownMs - clock.monotonic());
      if (wait > 0) return later('lost', wait, () => wantFull('lost-count', true));
      lostAt = clock.monotonic();
      wantFull('lost-count', true);
    },
    isBusy: () => running || rung.size > 0 || full !== null,
    report: () => report,
    trouble: () => trouble,
    close: () => {
      closed = true;
      for (const cancel of timers.values()) cancel();
      for (const wake of waiters) wake();
      waiters = [];
    },
  };
}
