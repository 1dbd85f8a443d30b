import type { Settings } from '../../model/settings.ts';
import type { FailureStatus, HeldStatus, InDoubtStatus, Status } from '../../model/report/status.ts';
import { unconfigured } from '../../model/report/unconfigured.ts';
import type { LedgerReader } from '../../ledger/records/ledger-data.ts';
import { readLedger } from '../../ledger/read-ledger.ts';
import { otherService, otherServiceText } from '../../daemon/ledger/ledger-service.ts';
import { isPaused, readPauses } from '../../daemon/control/pauses.ts';
import { listDuplicates } from '../../daemon/status/list-duplicates.ts';
import { missingFiles } from './missing-files.ts';
import { version } from '../../daemon/version.ts';

/** Names of the first hundred. */
const heldNames = 100;

/**
 * The status of a daemon that does not run: what the ledger says. On disk only folders with held deletions are looked
 * at: their files may have come back.
 */
export async function offlineStatus(settings: Settings): Promise<Status> {
  const ledger = await readLedger(settings.state.dir);
  const pauses = await readPauses(settings.state.dir);
  const isoOf = (ms: number) => new Date(ms).toISOString();
  const failures: FailureStatus[] = [];
  for (const [ref, { code, message, attempts }] of ledger.failures()) {
    failures.push({ ...ref, code, message, attempts, retryAt: null });
  }
  const doubts = ledger.doubts();
  const inDoubt = doubts.reduce((total, { count }) => total + count, 0);
  const held = await allHeld(settings, ledger);
  const other = otherService(ledger, settings);
  const { requestsPerMinute } = settings.service;
  return {
    version: version(),
    startedAt: isoOf(Date.now()),
    pid: 0,
    health: 'error',
    state: 'stopped',
    paused: settings.folders.filter((folder) => isPaused(pauses, folder)).map(({ name }) => name),
    trial: settings.service.mode === 'embedded',
    service: settings.service.ingestUrl,
    account: null,
    configuration: settings.file,
    reasons: [
      {
        code: 'not-running',
        message: 'ingestd is not running; this is the state in its ledger',
      },
      ...(other === null ? [] : [{ code: 'other-service', message: otherServiceText(other) }]),
    ],
    folders: settings.folders.map(({ name, path }) => {
      const failing = failures.filter(({ folder }) => folder === name);
      const failed = failing.length;
      const gone = held.find(({ folder }) => folder === name)?.count ?? 0;
      const changed = failing.filter((ref) => ledger.get(ref) !== undefined).length;
      const synced = Math.max(0, ledger.count(name) - gone - changed);
      return {
        name,
        path,
        state: 'stopped',
        watches: 0,
        onDisk: synced + failed,
        synced,
        pending: 0,
        waiting: 0,
        failed,
        skipped: 0,
        held: gone,
        kept: 0,
        attached: 0,
        oldestUnsyncedSeconds: 0,
        missedByWatcher: 0,
      };
    }),
    ...unconfigured(ledger, settings),
    queue: { pending: 0, inFlight: 0, waiting: 0, etaSeconds: 0 },
    rate: { limit: requestsPerMinute, used: 0, windowSeconds: 60, pausedUntil: null, nextFreeSeconds: 0 },
    auth: { state: 'none', expiresAt: null },
    totals: { uploaded: 0, modified: 0, deleted: 0, moved: 0, requests: 0, bytesSent: 0 },
    failures: failures.slice(0, 1_000),
    failuresTotal: failures.length,
    skipped: [],
    skippedTotal: 0,
    waiting: [],
    waitingTotal: 0,
    held,
    inDoubt: doubts.map(({ ref, since, count, message }): InDoubtStatus => ({
      ...ref,
      since: isoOf(since),
      count,
      message,
    })),
    inDoubtTotal: doubts.length,
    transfers: [],
    possibleDuplicates: ledger.possibleDuplicates() + inDoubt,
    duplicates: listDuplicates(ledger),
    recordedDuplicates: ledger.possibleDuplicates(),
  };
}

async function allHeld(settings: Settings, ledger: LedgerReader): Promise<readonly HeldStatus[]> {
  const list: HeldStatus[] = [];
  for (const folder of settings.folders) {
    const hold = ledger.hold(folder.name);
    if (hold === undefined) continue;
    const since = new Date(hold.since).toISOString();
    const paths = await missingFiles(ledger, folder).catch(() => null);
    if (paths?.length === 0) continue;
    const reason = paths === null ? `${hold.reason}; the folder cannot be read at the moment` : hold.reason;
    const names = paths?.slice(0, heldNames) ?? [];
    list.push({ folder: folder.name, count: paths?.length ?? 0, since, reason, paths: names });
  }
  return list;
}
