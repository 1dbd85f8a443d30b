import type { DocumentRef } from '../../model/document.ts';
import type { Why } from '../../model/report/command-reports.ts';
import { isOfDeletion } from '../../model/ports/ledger-port.ts';
import { silentLog } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';
import { fleetPaused } from '../../model/report/fleet-pause.ts';
import { heldNames, longestList, emptyStatus, noDocuments } from '../../model/report/status.ts';
import type {
  FailureStatus,
  FolderStatus,
  HeldStatus,
  Reason,
  SkipStatus,
  Status,
} from '../../model/report/status.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import { openDoubts } from '../../model/doubts.ts';
import { noWaits, waitKindOf } from '../../model/report/wait-kinds.ts';
import { countDuplicates, listDoubts, listDuplicates, unconfigured } from '../../daemon/make-status.ts';
import type { LedgerReader } from '../../ledger/records/ledger-data.ts';
import { readScratchLedger } from '../../ledger/read-ledger.ts';
import { historyDirectory, readPast, readTotals } from '../../daemon/history/history-files.ts';
import { otherService, otherServiceText } from '../../daemon/preconditions/whose-ledger.ts';
import { followFolders } from '../../daemon/preconditions/follow-folders.ts';
import { missingFiles } from '../../daemon/preconditions/folders-on-disk.ts';
import { requirePath } from '../../daemon/control/resolve-path.ts';
import { describeFile } from '../../daemon/control/describe-file.ts';
import { describeFormer } from '../../daemon/control/describe-former.ts';
import { version } from '../../config/package-files.ts';
import type { FleetView } from '../ask-fleet.ts';
import { pausesOf, surveyFolders } from '../make-plan.ts';
import type { Survey } from '../make-plan.ts';
import { knownClaims } from '../../sync/decide/attachments.ts';
import { asItStands, glanceAt, withFolder } from '../unwatched-folder.ts';

interface StatusOptions {
  readonly settings: Settings;
  /** Who signs in; null: not known. */
  readonly account: string | null;
  /** False: the status follows from the ledger alone. */
  readonly readsFolders: boolean;
  /** A start would make the folders that are not there. Default false: a start refuses them. */
  readonly makesFolders?: boolean;
  /** The fleet, where the folders are read; left out: it was not asked. */
  readonly fleet?: FleetView | null;
}

/**
 * The status of a daemon that does not run: what its ledger says, and, where the folders are read, what `plan` finds in
 * them as they stand at this moment. Otherwise only folders with held deletions are read: their files may have come
 * back.
 */
export async function offlineStatus({
  settings,
  account,
  readsFolders,
  makesFolders = false,
  fleet = null,
}: StatusOptions): Promise<Status> {
  const ledger = await readScratchLedger(settings.state.dir, settings.safety.inDoubt);
  const other = otherService(ledger, settings);
  if (other === null) await followFolders(ledger, settings, silentLog);
  const { survey, reasons } =
    readsFolders && other === null ? await readFolders({ settings, makesFolders, fleet }) : nothingSeen;
  const { paused, fleetPaused: isFleetPaused } = await pausesOf(settings, fleet);
  const doubts = openDoubts(ledger);
  const held = [...(await allHeld(settings, ledger)), ...heldFromNowOn(ledger, survey)];
  const failures = listFailures(ledger, survey);
  const rows = settings.folders.map(folderStatus);
  const sum = (pick: (folder: FolderStatus) => number) => rows.reduce((total, row) => total + pick(row), 0);
  const waiting = waitingOf(survey);
  const { delete: deletions = 0 } = survey?.plan.counts ?? {};
  return {
    ...emptyStatus(settings.service.requestsPerMinute),
    version: version(),
    startedAt: new Date().toISOString(),
    pid: 0,
    health: 'error',
    state: 'stopped',
    paused,
    trial: settings.service.mode === 'embedded',
    service: settings.service.ingestUrl,
    account,
    configuration: settings.file,
    reasons: [
      { code: 'not-running', message: 'ingestd is not running' },
      ...(other === null ? [] : [{ code: 'other-service', message: otherServiceText(other) }]),
      ...(isFleetPaused ? [fleetPaused] : []),
      ...reasons,
    ],
    folders: rows,
    ...unconfigured(ledger, settings),
    queue: {
      pending: sum(({ pending }) => pending) + deletions,
      inFlight: 0,
      waiting: sum((row) => row.waiting),
      etaSeconds: 0,
    },
    totals: await readTotals(settings.state.dir),
    failures: failures.slice(0, longestList),
    failuresTotal: failures.length,
    skipped: survey?.skipped.slice(0, longestList) ?? [],
    skippedTotal: survey?.plan.counts.skipped ?? 0,
    waiting: waiting.slice(0, longestList),
    waitingTotal: waiting.length,
    waitingFor: waitsOf(waiting),
    held,
    ...listDoubts(doubts),
    possibleDuplicates: countDuplicates(ledger),
    duplicates: listDuplicates(ledger),
    recordedDuplicates: ledger.possibleDuplicates(),
  };

  function folderStatus({ name, path }: Settings['folders'][number]): FolderStatus {
    const gone = held.find(({ folder }) => folder === name)?.count ?? 0;
    const away = isAway(survey, name);
    const found = away ? undefined : survey?.folders.find((folder) => folder.name === name);
    const counts = found ?? remembered();
    const { synced, pending, waiting, failed, skipped } = counts;
    return {
      ...noDocuments,
      ...counts,
      name,
      path,
      state: away ? 'unavailable' : 'stopped',
      onDisk: synced + pending + waiting + failed + skipped,
    };

    function remembered() {
      const failing = failures.filter(({ folder }) => folder === name);
      const changed = failing.filter((ref) => ledger.get(ref) !== undefined).length;
      const removed = failing.filter((ref) => isDeletionRefused(ledger, ref)).length;
      return {
        ...noDocuments,
        synced: Math.max(0, ledger.count(name) - gone - changed),
        failed: failing.length - removed,
        held: gone + removed,
      };
    }
  }
}

interface Seen {
  readonly survey: Survey | null;
  readonly reasons: readonly Reason[];
}

const nothingSeen: Seen = { survey: null, reasons: [] };

async function readFolders({ settings, ...more }: Parameters<typeof surveyFolders>[0]): Promise<Seen> {
  try {
    const survey = await surveyFolders({ settings: asItStands(settings), ...more });
    const unreadable = survey.plan.unreadable.map(({ folder, message }) => ({
      code: 'unreadable-directory',
      message: `${folder}: ${message}`,
    }));
    const away = survey.plan.unavailable.map(({ message }) => ({ code: 'folder-unavailable', message }));
    return { survey, reasons: [...away, ...unreadable] };
  } catch (error) {
    const message = errorMessage(error);
    if (errorCode(error) === 'configuration')
      return { survey: null, reasons: [{ code: 'configuration', message }] };
    return {
      survey: null,
      reasons: [{ code: 'folders-not-compared', message: `the folders could not be compared: ${message}` }],
    };
  }
}

function isDeletionRefused(ledger: LedgerReader, ref: DocumentRef): boolean {
  const failure = ledger.failure(ref);
  return failure !== undefined && isOfDeletion(failure);
}

function isAway(survey: Survey | null, name: string): boolean {
  return survey?.plan.unavailable.some(({ folder }) => folder === name) === true;
}

/** As the folders stand; of a folder that cannot be read, and without folders, what the ledger remembers. */
function listFailures(ledger: LedgerReader, survey: Survey | null): readonly FailureStatus[] {
  const remembered: FailureStatus[] = [];
  for (const [ref, { code, message, attempts }] of ledger.failures()) {
    if (survey === null || isAway(survey, ref.folder))
      remembered.push({ ...ref, code, message, attempts, retryAt: null });
  }
  return [...(survey?.failures ?? []), ...remembered];
}

function waitsOf(waiting: readonly SkipStatus[]): Status['waitingFor'] {
  const sum = noWaits();
  for (const { code } of waiting) sum[waitKindOf(code)] += 1;
  return sum;
}

function waitingOf(survey: Survey | null): readonly SkipStatus[] {
  return (survey?.plan.operations ?? [])
    .filter(({ kind }) => kind === 'waiting')
    .map(({ folder, path, code, message }) => ({
      folder,
      path,
      code: code ?? 'settling',
      message: message ?? 'it is still changing',
    }));
}

/** What the ledger does not hold yet and the next start will. */
function heldFromNowOn(ledger: LedgerReader, survey: Survey | null): readonly HeldStatus[] {
  const since = new Date().toISOString();
  const planned = (survey?.plan.operations ?? []).filter(({ kind }) => kind === 'held');
  const names = [...new Set(planned.map(({ folder }) => folder))];
  return names
    .filter((name) => ledger.hold(name) === undefined)
    .map((folder) => {
      const ofFolder = planned.filter((one) => one.folder === folder);
      return {
        folder,
        count: ofFolder.length,
        since,
        reason: `${ofFolder[0]?.message ?? ''} (held from the next start on)`,
        paths: ofFolder.slice(0, heldNames).map(({ path }) => path),
      };
    });
}

async function allHeld(settings: Settings, ledger: LedgerReader): Promise<readonly HeldStatus[]> {
  const list: HeldStatus[] = [];
  for (const folder of settings.folders) {
    const hold = ledger.hold(folder.name);
    if (hold === undefined) continue;
    const since = new Date(hold.since).toISOString();
    const paths = await missingFiles(ledger, folder, settings.folders).catch(() => null);
    if (paths?.length === 0) continue;
    const reason = paths === null ? `${hold.reason}; the folder cannot be read at the moment` : hold.reason;
    const names = paths?.slice(0, heldNames) ?? [];
    list.push({ folder: folder.name, count: paths?.length ?? 0, since, reason, paths: names });
  }
  return list;
}

/** `why` without a running daemon: the file as it stands, and what the ledger says. */
export async function whyOffline(
  settings: Settings,
  path: string,
  fleet: FleetView | null = null,
): Promise<Why> {
  // As `plan`, which waits for nothing that is missing.
  const timing = { ...settings.timing, removeGraceMs: 0 };
  const ledger = await readScratchLedger(settings.state.dir, settings.safety.inDoubt);
  const other = otherService(ledger, settings);
  if (other === null) await followFolders(ledger, settings, silentLog);
  const { folders } = settings;
  const pastOf = (ref: DocumentRef) => readPast(historyDirectory(settings.state.dir), ref).catch(() => []);
  const former = await describeFormer(path, { folders, ledger, pastOf });
  if (former !== null) return former;
  const { ref, folder } = requirePath(folders, path);
  const surroundings = {
    settings: { ...settings, timing },
    log: silentLog,
    claims: knownClaims(folder.name, ledger),
  };
  return withFolder(folder, surroundings, async (port) => {
    const plan = async () =>
      other === null
        ? (await surveyFolders({ settings, makesFolders: true, fleet })).plan
        : { operations: [], unavailable: [], paused: [], fleetPaused: false };
    const story = await describeFile({
      ref,
      port,
      places: glanceAt(folders, ledger),
      ledger,
      past: await pastOf(ref),
      ahead: { kind: 'plan', plan },
      nextAt: null,
    });
    return other === null ? story : { ...story, next: `nothing; ${otherServiceText(other)}` };
  });
}
