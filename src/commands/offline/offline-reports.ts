import { systemClock } from '../../lib/time/clock.ts';
import { describeFile } from '../../daemon/control/describe-file.ts';
import { lineText, linesBack, readPast } from '../../daemon/history/history-files.ts';
import { isOfNoFolder, requireFolders } from '../../daemon/preconditions/folders-on-disk.ts';
import { missingLedger, newLedgerNotice } from '../../daemon/preconditions/new-ledger.ts';
import { isStartWaiting, waitsForSpace } from '../../daemon/process/waiting-start.ts';
import { errorMessage } from '../../model/errors.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import type { Why } from '../../model/report/command-reports.ts';
import { withFix } from '../../model/report/explanations.ts';
import type { Reason, Status } from '../../model/report/status.ts';
import { checkStateDirectory } from '../check/check-ledger.ts';
import { asItStands, pausesOf, restingStatus, scratchLedger, withRestingEngine } from './resting-engine.ts';
import type { OfflineView } from './resting-engine.ts';
import { withHistory } from './with-ledger.ts';

/**
 * The status of a daemon that does not run: that of its own engine, paused, on a copy of the ledger. `account`: who signs
 * in; null: not known. `credentials`: why nobody can; null: somebody can, or need not.
 */
export async function offlineStatus(
  options: OfflineView,
  account: string | null,
  credentials: string | null = null,
): Promise<Status> {
  const { settings, fleet } = options;
  const { ledger, other } = await scratchLedger(settings);
  const obstacles = await obstaclesOf(options, ledger, other);
  const { fleetPaused, ...known } = await pausesOf(settings, fleet);
  const pauses = fleetPaused ? { paused: [], pauses: {} } : known;
  const state = await checkStateDirectory(settings.state.dir);
  const isWaiting = await isStartWaiting(settings.state.dir);
  // Who asks need not be who starts it.
  const closed = state.filter(({ code, level }) => code !== 'state-unwritable' && level === 'error');
  const ownReasons: readonly Reason[] = [
    { code: 'not-running', message: isWaiting ? waitsForSpace : 'ingestd is not running' },
    ...closed.map(({ code, message }) => ({ code, message })),
    ...obstacles,
    ...(credentials === null ? [] : [{ code: 'credential-missing', message: credentials }]),
    ...(fleet?.pause ? [fleet.pause] : []),
  ];
  const { totals, notice } = await withHistory(settings, async (history) => ({
    totals: history.totals(),
    notice: await newLedgerNotice(settings.state.dir, { told: history.newLedger }, systemClock),
  }));
  return withRestingEngine(
    { settings: asItStands(settings), ledger, owners: fleet?.owners ?? null },
    async (resting) => {
      const reasons = notice === null ? ownReasons : [...ownReasons, notice.reason];
      const status = restingStatus(resting, { totals, ownReasons: reasons, pauses });
      return {
        ...status,
        pid: 0,
        health: 'error',
        state: 'stopped',
        account,
        // What keeps ingestd from starting says it of a folder that was never there; that of a trial is made.
        reasons: status.reasons.filter((one) => one.code !== 'held' && !isOfNoFolder(one, ledger)),
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

/** Why the next start would end at once. */
async function obstaclesOf(
  { settings, makesFolders }: OfflineView,
  ledger: LedgerPort,
  other: Reason | null,
): Promise<readonly Reason[]> {
  const missing = makesFolders ? null : await requireFolders(settings, ledger).then(() => null, errorMessage);
  const ofFolders = missing === null ? null : { code: 'configuration', message: missing };
  return [other, await missingLedger(settings.state), ofFolders].filter((one) => one !== null);
}

/** `why` without a running daemon: the same engine, and the same words. */
export async function whyOffline(options: OfflineView, path: string): Promise<Why> {
  const { settings, fleet } = options;
  const { ledger, other } = await scratchLedger(settings);
  const pauses = await pausesOf(settings, fleet);
  const [obstacle] = await obstaclesOf(options, ledger, other);
  // Its message says what to do.
  const isOfFolders = obstacle?.code === 'configuration';
  const story = await withRestingEngine(
    { settings: asItStands(settings), ledger, owners: fleet?.owners ?? null },
    ({ engine, folders, activities }) =>
      describeFile(path, {
        settings,
        clock: systemClock,
        engine,
        ledger,
        folders,
        past: (ref) => {
          const unwritten = activities.filter(({ from }) => from !== undefined).map(lineText);
          const { dir } = settings.state;
          return readPast((read) => linesBack(dir, read, unwritten), ref).catch(() => []);
        },
        isRunning: false,
        pauses,
        isFleetPaused: pauses.fleetPaused,
        obstacle: obstacle === undefined ? null : isOfFolders ? obstacle.message : withFix(obstacle),
      }),
  );
  // It does not go on by itself.
  const isStuck = isOfFolders && story.verdict.code === 'folder-missing';
  return isStuck ? { ...story, fix: null } : story;
}
