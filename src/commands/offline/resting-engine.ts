import { setTimeout as delay } from 'node:timers/promises';

import { pausedAmong, readPauses } from '../../daemon/control/pauses.ts';
import { makeStatus } from '../../daemon/make-status.ts';
import type { StatusSources } from '../../daemon/make-status.ts';
import { otherService } from '../../daemon/preconditions/whose-ledger.ts';
import { followFolders } from '../../daemon/preconditions/follow-folders.ts';
import type { FolderOwnersView } from '../../cluster/folders/folder-owners.ts';
import { guardFolder } from '../../daemon/process/guard-folder.ts';
import { guardTwinFolders } from '../../daemon/process/guard-twin-folders.ts';
import { readScratchLedger } from '../../ledger/read-ledger.ts';
import { systemClock } from '../../lib/time/clock.ts';
import type { DirectoryScan } from '../../model/document.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import { silentLog } from '../../model/ports/log-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { noMetrics } from '../../model/ports/metrics-port.ts';
import type { LimiterPort, Permit, ServicePort } from '../../model/ports/service-port.ts';
import { pauseReason } from '../../model/report/pause-words.ts';
import { noTotals } from '../../model/report/status.ts';
import type { Activity, Reason, Status } from '../../model/report/status.ts';
import type { FolderSettings, Settings } from '../../model/settings.ts';
import type { FleetView } from '../ask-fleet.ts';
import { openFolder } from '../../scan/folder.ts';
import { Engine } from '../../sync/engine.ts';
import type { EngineOptions } from '../../sync/engine.ts';

const askMs = 20;
/** Files that still change are listed as waiting; nobody waits for them longer than this. */
const longestMs = 10_000;

interface RestOptions extends Pick<EngineOptions, 'onDecision'> {
  readonly settings: Settings;
  readonly ledger: LedgerPort;
  /** Whose the folders are in a fleet. Null: there is none, or it cannot be asked. */
  readonly owners: FolderOwnersView | null;
  /** Takes what is sent; left out: all folders are paused. */
  readonly service?: ServicePort;
  /** Gets what was listed. */
  readonly onDirectory?: (scan: DirectoryScan) => void;
  /** False: what there is need not be found and judged first. Default true. */
  readonly rests?: boolean;
}

/** What is looked at without a daemon. */
export interface OfflineView {
  readonly settings: Settings;
  /** A start, or `sync`, would make the folders that are not there; else it refuses them. */
  readonly makesFolders: boolean;
  /** Null: there is no fleet, or it cannot be asked. */
  readonly fleet: FleetView | null;
}

/** An engine that has found all that there is, with its folders in the order of the settings. */
export interface RestingEngine extends Pick<
  StatusSources,
  'startedAt' | 'settings' | 'ledger' | 'engine' | 'folders' | 'limiter'
> {
  /** What it did without a request: documents that follow their files, and what it found to be wrong. */
  readonly activities: readonly Activity[];
}

/**
 * The daemon's own engine for one command, on folders that are scanned once and not watched. Without a
 * `service` it is paused: it finds and judges everything, and sends nothing. It is closed when `act` is done.
 */
export async function withRestingEngine<T>(
  { settings, ledger, owners, service, onDecision, onDirectory, rests = true }: RestOptions,
  act: (resting: RestingEngine) => Promise<T>,
): Promise<T> {
  const opened = guardTwinFolders(
    settings.folders.map((folder) => openUnwatched(folder, { settings, log: silentLog })),
    { clock: systemClock, log: silentLog },
  );
  const folders =
    owners === null ? opened : opened.map((folder) => guardFolder(folder, owners.guard(folder), silentLog));
  const limiter = createFreeLimiter(settings.service.requestsPerMinute);
  const activities: Activity[] = [];
  const startedAt = new Date().toISOString();
  const engine = new Engine({
    clock: systemClock,
    log: silentLog,
    ledger,
    folders: folders.flatMap((port) =>
      settings.folders.filter(({ name }) => name === port.name).map((folder) => ({ settings: folder, port })),
    ),
    limiter,
    service: service ?? unasked,
    metrics: noMetrics,
    settings,
    authRestMs: () => 0,
    maxAttempts: 1,
    random: () => 0,
    paused: service === undefined ? settings.folders.map(({ name }) => name) : [],
    onActivity: (activity) => void activities.push(activity),
    onDecision,
    onChange: () => {},
  });
  try {
    const starting = folders.map((port) => {
      const listener = engine.listener(port.name);
      const directory = (scan: DirectoryScan): void => {
        onDirectory?.(scan);
        listener.directory(scan);
      };
      return port.start({ ...listener, directory });
    });
    await Promise.all(starting);
    const deadline = performance.now() + longestMs;
    if (rests)
      while (!isAtRest(engine) && (performance.now() < deadline || isBusy(engine))) await delay(askMs);
    return await act({ startedAt, settings, ledger, engine, folders, limiter, activities });
  } finally {
    await engine.stop(0);
    await Promise.all(folders.map((port) => port.close()));
  }
}

/** What a daemon would say that has found all of this, and sends nothing. */
export function restingStatus(
  resting: RestingEngine,
  given: Partial<Pick<StatusSources, 'totals' | 'ownReasons' | 'pauses' | 'most'>>,
): Status {
  return makeStatus({
    totals: noTotals,
    ownReasons: [],
    ...given,
    ...resting,
    clock: systemClock,
    auth: { status: () => ({ state: 'none', expiresAt: null }) },
    phase: 'running',
    service: { address: resting.settings.service.ingestUrl, account: '' },
  });
}

/** The ledger as the next start will have it, in memory alone; `other`: why its records are not of this service. */
export async function scratchLedger(
  settings: Settings,
): Promise<{ readonly ledger: LedgerPort; readonly other: Reason | null }> {
  const ledger = await readScratchLedger(settings.state.dir, settings.safety.inDoubt);
  const other = otherService(ledger, settings);
  if (other === null) await followFolders(ledger, settings, silentLog);
  return { ledger, other };
}

/** What a person paused on this host; `fleetPaused`: on all, and then `paused` names all folders. */
export async function pausesOf({ state, folders }: Settings, fleet: FleetView | null) {
  const fleetPaused = (fleet?.pause ?? null) !== null;
  const own = pausedAmong(await readPauses(state.dir), folders);
  const paused = fleetPaused ? folders.map(({ name }) => name) : own.paused;
  return { ...own, paused, fleetPaused, pause: fleet?.pause ?? pauseReason(own, folders.length) };
}

/** A folder that is scanned once and not watched. */
export function openUnwatched(
  folder: FolderSettings,
  { settings, log }: { readonly settings: Settings; readonly log: LogPort },
): FolderPort {
  const port = openFolder({ ...folder, watch: 'polling' }, { settings, clock: systemClock, log });
  return {
    ...port,
    health: () => {
      const health = port.health();
      // No later look is waited for: what was listed is how it stands, until it is listed again.
      return { ...health, coveredUntil: health.busy ? -Infinity : Infinity };
    },
  };
}

/** Settings with which nothing needs to settle: one look is enough, and each file is judged as it stands. */
export function asItStands(settings: Settings): Settings {
  return { ...settings, timing: { ...settings.timing, settleMs: -Infinity, removeGraceMs: 0 } };
}

function isAtRest(engine: Engine): boolean {
  const { folders } = engine;
  return engine.isAtRest() && !folders.areSomeReadAgain() && folders.isCoveredUntil(Infinity);
}

/** What is left need not settle, or wait for anything. */
function isBusy(engine: Engine): boolean {
  const isMoving = (['inspect', 'inspecting', 'sending'] as const).some(
    (kind) => engine.tasks.in(kind).size > 0,
  );
  const isQueued = engine.paused().size === 0 && engine.tasks.in('ready').size > 0;
  return isMoving || isQueued || engine.backlogged() > 0;
}

/** Places without end: nothing waits for one. */
function createFreeLimiter(limit: number): LimiterPort {
  const permit: Permit = { spent: () => {}, giveBack: () => {} };
  return {
    take: () => Promise.resolve(permit),
    pause: () => {},
    status: () => ({ limit, used: 0, windowMs: 60_000, pausedUntil: null, nextFreeMs: 0 }),
    waitMs: () => 0,
    close: () => {},
  };
}

const refuse = () => Promise.reject(new Error('nothing is sent'));

/** All is paused. */
const unasked: ServicePort = {
  upload: refuse,
  modify: refuse,
  remove: refuse,
  bulkModify: refuse,
  bulkRemove: refuse,
};
