import { setTimeout as delay } from 'node:timers/promises';

import { createLimiter } from '../../../src/remote/limiter.ts';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import { noMetrics } from '../../../src/model/ports/metrics-port.ts';
import { joinPath } from '../../../src/model/document.ts';
import type { FolderPort } from '../../../src/model/ports/folder-port.ts';
import type { LedgerPort } from '../../../src/model/ports/ledger-port.ts';
import type { LimiterPort, ServicePort } from '../../../src/model/ports/service-port.ts';
import type { FolderSettings, SafetySettings, ServiceSettings } from '../../../src/model/settings.ts';
import type { Activity } from '../../../src/model/report/status.ts';
import { Engine } from '../../../src/sync/engine.ts';
import { reasonOf } from '../../../src/sync/tasks/task.ts';
import { safetySettingsOf, serviceSettingsOf, timingSettingsOf } from '../fixtures/default-settings.ts';
import { manualClock } from '../manual-clock.ts';
import type { ManualClock } from '../manual-clock.ts';
import { recordedLog } from '../recorded-log.ts';
import type { RecordedLog } from '../recorded-log.ts';
import { simulatedFolder } from './simulated-folder.ts';
import type { SimulatedFolder } from './simulated-folder.ts';
import { simulatedService } from './simulated-service.ts';
import type { SimulatedService } from './simulated-service.ts';
import { temporaryFolderInMemory } from '../temporary-folder.ts';

export interface EngineWorld {
  readonly clock: ManualClock;
  readonly folder: SimulatedFolder;
  readonly service: SimulatedService;
  readonly engine: () => Engine;
  readonly ledger: () => LedgerPort;
  readonly activities: Activity[];
  readonly log: RecordedLog;
  /** Lets everything happen that can happen while the clock stands still. */
  readonly rest: () => Promise<void>;
  /** Lets time pass until nothing moves any more. Throws when that takes more than `hours`. */
  readonly quiesce: (hours?: number) => Promise<void>;
  /** Scans the folder, then lets time pass until nothing moves any more. */
  readonly sync: () => Promise<void>;
  /** Lets `ms` pass, and what can be done meanwhile be done. */
  readonly pass: (ms: number) => Promise<void>;
  /** Lets time pass, so many ms at once, until it is so. Throws when that takes too long. */
  readonly until: (isSo: () => boolean, stepMs?: number) => Promise<void>;
  /** Ends the process as SIGKILL does, and starts another on the same state. `meanwhile`: while none runs. */
  readonly restart: (meanwhile?: () => void) => Promise<void>;
  /** Lets time pass as long as what is done waits for a slow disk. */
  readonly withTime: <T>(act: Promise<T>) => Promise<T>;
  /** Path → docId, for what the ledger knows. */
  readonly docIds: () => ReadonlyMap<string, string>;
  readonly close: () => Promise<void>;
}

export interface EngineWorldOptions {
  readonly safety?: Partial<SafetySettings>;
  readonly service?: Partial<ServiceSettings>;
  readonly onRemove?: FolderSettings['onRemove'];
  /** As of `sync`; without it as of `run`: never gives up. */
  readonly maxAttempts?: number;
  /** A folder on disk instead of the simulated one; opened again after a restart. */
  readonly port?: (clock: ManualClock) => FolderPort;
  /** The folder reads the disk at this moment. */
  readonly isReading?: () => boolean;
  /** Made for each process, with its limiter; left out: the service in memory. */
  readonly remote?: (parts: { clock: ManualClock; log: RecordedLog; limiter: LimiterPort }) => Remote;
  /** Another folder, which nobody starts. */
  readonly beside?: FolderPort;
  /** What the wall clock shows at the beginning, ms. */
  readonly wallClock?: number;
  /** From 0 to below 1; left out: always a half. */
  readonly random?: () => number;
  /** How long the next commit, or the next way of a request or an answer, takes, ms of the clock in hand. */
  readonly slow?: () => number;
}

/** What the engine of one process sends through. */
interface Remote {
  readonly limiter: LimiterPort;
  readonly service: ServicePort;
  readonly authRestMs: () => number;
  readonly close: () => void;
}

export const engineTiming = timingSettingsOf();

const underWay = ['inspect', 'inspecting', 'ready', 'sending'] as const;

/** The engine on a real ledger, with a folder and a service in memory and a clock in hand. */
export async function engineWorld(options: EngineWorldOptions = {}): Promise<EngineWorld> {
  const clock = manualClock(options.wallClock);
  const state = await temporaryFolderInMemory();
  let inode = 100;
  const folder = simulatedFolder({
    name: 'inbox',
    clock,
    settleMs: engineTiming.settleMs,
    nextInode: () => (inode += 1),
  });
  const service = simulatedService(() => waitABit());
  const activities: Activity[] = [];
  const log = recordedLog();
  const serviceSettings = serviceSettingsOf(options.service);
  const safety = safetySettingsOf(options.safety);
  let delayed = 0;
  let writing = 0;
  let life = await begin();

  async function waitABit(): Promise<void> {
    const ms = options.slow?.() ?? 0;
    if (ms === 0) return;
    delayed += 1;
    await new Promise<void>((resolve) => clock.after(ms, resolve));
    delayed -= 1;
  }

  /** A ledger whose disk is slow now and then. Commits keep their order, and die with the process. */
  function onSlowDisk(ledger: LedgerPort, isAlive: () => boolean): LedgerPort {
    if (options.slow === undefined) return ledger;
    let last = Promise.resolve();
    const write: LedgerPort['commit'] = async (changes) => {
      writing += 1;
      await ledger.commit(changes).finally(() => {
        writing -= 1;
      });
    };
    return {
      ...ledger,
      commit: (changes) => {
        const turn = last.then(waitABit).then(() => (isAlive() ? write(changes) : never()));
        last = turn.catch(() => {});
        return turn;
      },
    };
  }

  async function begin() {
    const opened = await openLedger({ dir: state.join('state'), clock, log: recordedLog() });
    let alive = true;
    const ledger = onSlowDisk(opened, () => alive);
    const die = () => {
      alive = false;
    };
    const limiter = createLimiter({
      requestsPerMinute: serviceSettings.requestsPerMinute,
      clock,
      recent: ledger.sentRequests(),
    });
    const remote = options.remote?.({ clock, log, limiter }) ?? {
      limiter,
      service,
      authRestMs: () => 0,
      close: () => {},
    };
    const port = options.port?.(clock) ?? folder;
    const engine = new Engine({
      clock,
      log,
      ledger,
      folders: [
        { settings: { name: 'inbox', onRemove: options.onRemove ?? 'delete' }, port },
        ...(options.beside === undefined
          ? []
          : [
              {
                settings: { name: options.beside.name, onRemove: 'keep' } as const,
                port: options.beside,
              },
            ]),
      ],
      limiter: remote.limiter,
      service: remote.service,
      metrics: noMetrics,
      settings: { service: serviceSettings, timing: engineTiming, safety },
      authRestMs: remote.authRestMs,
      maxAttempts: options.maxAttempts ?? null,
      random: options.random ?? (() => 0.5),
      onActivity: (activity) => activities.push(activity),
      isTold: (ref, message) => activities.findLast(({ path }) => path === ref.path)?.message === message,
      onChange: () => {},
    });
    await engine.recover();
    await port.start(engine.listener('inbox'));
    return { ledger, limiter, engine, port, remote, die };
  }

  async function withTime<T>(act: Promise<T>): Promise<T> {
    if (options.slow === undefined) return act;
    const ended = act.then(
      () => true,
      () => true,
    );
    const soon = () => new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
    while (!(await Promise.race([ended, soon()]))) {
      if (delayed > 0) await clock.advance(50);
    }
    return act;
  }

  async function end(): Promise<void> {
    life.die();
    await life.port.close();
    const stopped = life.engine.stop(0);
    await clock.advance(0);
    await stopped;
    life.remote.close();
    life.limiter.close();
    await life.ledger.close();
  }

  const restNow = () =>
    rest(life.engine, {
      isWriting: () => writing > 0 || options.isReading?.() === true,
      isDelayed: () => delayed > 0 || service.isHolding(),
    });

  /** Lets `ms` pass, or more where nothing is due before, up to `mostMs`. */
  function step(ms: number, mostMs: number): Promise<void> {
    return clock.advance(Math.max(ms, Math.min(clock.untilNext() ?? 0, mostMs)));
  }

  /** Permits come from a limiter with timers of its own. */
  async function waitForPermits(): Promise<void> {
    if (life.engine.tasks.in('ready').size > 0) await delay(1);
  }

  async function quiesce(hours = 2): Promise<void> {
    const deadline = clock.monotonic() + hours * 3_600_000;
    for (;;) {
      await restNow();
      if (life.engine.isIdle()) return;
      if (clock.monotonic() > deadline) throw new Error(`still busy: ${tasksOf(life.engine)}`);
      await waitForPermits();
      // What is under way takes time of this machine: the clock in hand must not run away from it.
      const { tasks } = life.engine;
      const isWaiting = underWay.every((kind) => tasks.in(kind).size === 0);
      // While the minute is used up nothing goes out.
      await step(100, isWaiting ? Infinity : Math.max(100, life.limiter.status().nextFreeMs));
    }
  }

  return {
    clock,
    folder,
    service,
    activities,
    log,
    engine: () => life.engine,
    ledger: () => life.ledger,
    rest: restNow,
    quiesce,
    sync: () => {
      folder.scan();
      return quiesce();
    },
    pass: async (ms) => {
      const stepMs = Math.max(100, ms / 20);
      for (let left = ms; left > 0; left -= stepMs) {
        await restNow();
        await clock.advance(Math.min(stepMs, left));
        await waitForPermits();
      }
      await restNow();
    },
    until: async (isSo, stepMs = 50) => {
      for (let steps = 0; !isSo(); steps += 1) {
        if (steps === 20_000) throw new Error(`never came to be so: ${tasksOf(life.engine)}`);
        await step(stepMs, 10 * stepMs);
        // The disk is a real one: it is given time of its own.
        await delay(1);
      }
    },
    restart: async (meanwhile) => {
      await end();
      meanwhile?.();
      life = await withTime(begin());
    },
    withTime,
    docIds: () => new Map([...life.ledger.entries()].map(({ ref, record }) => [ref.path, record.docId])),
    close: async () => {
      await end();
      await state.remove();
    },
  };
}

/** One whose service holds so many documents, and has forgotten how they came. */
export async function filledEngineWorld(
  count: number,
  options: EngineWorldOptions = {},
  directory = '',
): Promise<EngineWorld> {
  const world = await engineWorld(options);
  for (let index = 0; index < count; index += 1)
    world.folder.write(joinPath(directory, `${index}.txt`), `text ${index}`);
  world.folder.scan();
  await world.quiesce(20);
  world.service.forget();
  return world;
}

/** Real input and output (the ledger's fsync) goes on while the clock stands still, however slow the disk is. */
async function rest(
  engine: Engine,
  { isWriting, isDelayed }: { readonly isWriting: () => boolean; readonly isDelayed: () => boolean },
): Promise<void> {
  const isBusy = () =>
    isWriting() || (!isDelayed() && (engine.inFlight() > 0 || engine.tasks.in('inspecting').size > 0));
  // What waits for the ledger to take it waits for the clock, too: not for ever.
  for (let turn = 0; turn < 1_000 && isBusy(); turn += 1) await delay(1);
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function tasksOf({ tasks }: Engine): string {
  return [...tasks.all()]
    .slice(0, 20)
    .map((task) => `${task.key} ${task.state.kind} ${reasonOf(task)?.message ?? ''}`)
    .join('; ');
}
