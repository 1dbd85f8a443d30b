import { systemClock } from '../../lib/time/clock.ts';
import { describeFile } from '../../daemon/control/describe-file.ts';
import { FileStory, historyDirectory, readPast, readTotals } from '../../daemon/history/history-files.ts';
import { makeStatus } from '../../daemon/make-status.ts';
import type { StatusSources } from '../../daemon/make-status.ts';
import { requireFolders } from '../../daemon/preconditions/folders-on-disk.ts';
import type { DocumentRef } from '../../model/document.ts';
import { errorMessage } from '../../model/errors.ts';
import type { Why } from '../../model/report/command-reports.ts';
import { withFix } from '../../model/report/explanations.ts';
import { fleetPaused } from '../../model/report/fleet-pause.ts';
import { noTotals } from '../../model/report/status.ts';
import type { Reason, Status } from '../../model/report/status.ts';
import type { Settings } from '../../model/settings.ts';
import type { FleetView } from '../ask-fleet.ts';
import { checkStateDirectory } from '../check/check-ledger.ts';
import { pausesOf } from '../make-plan.ts';
import { asItStands, scratchLedger, withRestingEngine } from './resting-engine.ts';
import type { RestingEngine } from './resting-engine.ts';

interface StatusOptions {
  readonly settings: Settings;
  /** Who signs in; null: not known. */
  readonly account: string | null;
  /** A start would make the folders that are not there; else it refuses them. */
  readonly makesFolders: boolean;
  /** Null: there is no fleet, or it cannot be asked. */
  readonly fleet: FleetView | null;
}

/** The status of a daemon that does not run: that of its own engine, paused, on a copy of the ledger. */
export async function offlineStatus(options: StatusOptions): Promise<Status> {
  const { settings, account, makesFolders, fleet } = options;
  const { ledger, other } = await scratchLedger(settings);
  const missing = makesFolders ? null : await requireFolders(settings, ledger).then(() => null, errorMessage);
  const { paused, fleetPaused: isFleetPaused } = await pausesOf(settings, fleet);
  const state = await checkStateDirectory(settings.state.dir);
  // A daemon that is started waits for space, and cannot be reached meanwhile.
  const full = state.filter(({ code, level }) => code === 'state-disk-full' && level === 'error');
  const ownReasons: readonly Reason[] = [
    { code: 'not-running', message: 'ingestd is not running' },
    ...full.map(({ code, message }) => ({ code, message: withFix({ code, message }) })),
    ...(other === null ? [] : [{ ...other, message: withFix(other) }]),
    ...(missing === null ? [] : [{ code: 'configuration', message: missing }]),
    ...(isFleetPaused ? [fleetPaused] : []),
  ];
  const totals = await readTotals(settings.state.dir);
  return withRestingEngine(
    { settings: asItStands(settings), ledger, owners: fleet?.owners ?? null },
    async (resting) => {
      const status = restingStatus(resting, { totals, ownReasons });
      return {
        ...status,
        pid: 0,
        health: 'error',
        state: 'stopped',
        paused,
        account,
        reasons: status.reasons.filter(({ code }) => code !== 'paused' && code !== 'held'),
        folders: status.folders.map((folder) => ({
          ...folder,
          state: folder.state === 'unavailable' ? 'unavailable' : 'stopped',
          oldestUnsyncedSeconds: 0,
        })),
        queue: { ...status.queue, etaSeconds: null },
      };
    },
  );
}

/** What a daemon would say that has found all of this, and sends nothing. */
export function restingStatus(
  resting: RestingEngine,
  given: Partial<Pick<StatusSources, 'totals' | 'ownReasons' | 'most'>>,
): Status {
  return makeStatus({
    totals: noTotals,
    ownReasons: [],
    ...given,
    ...resting,
    startedAt: new Date().toISOString(),
    clock: systemClock,
    auth: { status: () => ({ state: 'none', expiresAt: null }) },
    phase: 'running',
    service: { address: resting.settings.service.ingestUrl, account: '' },
    pausedUntil: null,
  });
}

/** `why` without a running daemon: the same engine, and the same words. */
export async function whyOffline(
  settings: Settings,
  path: string,
  fleet: FleetView | null = null,
): Promise<Why> {
  const { ledger, other } = await scratchLedger(settings);
  const { paused, fleetPaused: isFleetPaused } = await pausesOf(settings, fleet);
  return withRestingEngine(
    { settings: asItStands(settings), ledger, owners: fleet?.owners ?? null },
    ({ engine, folders, activities }) =>
      describeFile(path, {
        clock: systemClock,
        engine,
        ledger,
        folders,
        past: async (ref: DocumentRef) => {
          const story = new FileStory(ref);
          const moves = activities.toReversed().filter((one) => one.what === 'moved' && story.tells(one));
          const past = await readPast(historyDirectory(settings.state.dir), story).catch(() => []);
          return [...past, ...moves.toReversed()];
        },
        isRunning: false,
        paused,
        isFleetPaused,
        obstacle: other === null ? null : withFix(other),
      }),
  );
}
