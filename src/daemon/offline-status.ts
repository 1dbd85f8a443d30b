import type { Settings } from '../core/settings.ts';
import type { FailureStatus, HeldStatus, InDoubtStatus, Status } from '../core/status.ts';
import { readLedger } from '../ledger/read-ledger.ts';
import { version } from './version.ts';

/** The status of a daemon that does not run: what the ledger says. Nothing on disk is looked at. */
export async function offlineStatus(settings: Settings): Promise<Status> {
  const ledger = await readLedger(settings.state.dir);
  const isoOf = (ms: number) => new Date(ms).toISOString();
  const failures: FailureStatus[] = [];
  for (const [ref, { code, message, attempts }] of ledger.failures()) {
    failures.push({ ...ref, code, message, attempts, retryAt: null });
  }
  const doubts = ledger.doubts();
  let duplicates = doubts.reduce((total, { count }) => total + count, 0);
  for (const { record } of ledger.entries()) duplicates += record.possibleDuplicates;
  const { requestsPerMinute } = settings.service;
  return {
    version: version(),
    startedAt: isoOf(Date.now()),
    pid: 0,
    state: 'stopping',
    reasons: [
      {
        code: 'not-running',
        message: 'no daemon runs on this state directory: this is what the ledger says',
      },
    ],
    folders: settings.folders.map(({ name, path }) => {
      const failed = failures.filter(({ folder }) => folder === name).length;
      const synced = ledger.count(name);
      return {
        name,
        path,
        state: 'unavailable',
        watches: 0,
        onDisk: synced + failed,
        synced,
        pending: 0,
        waiting: 0,
        failed,
        skipped: 0,
        held: 0,
        oldestUnsyncedSeconds: 0,
        missedByWatcher: 0,
      };
    }),
    queue: { pending: 0, inFlight: 0, waiting: 0, etaSeconds: 0 },
    rate: { limit: requestsPerMinute, used: 0, windowSeconds: 60, pausedUntil: null, nextFreeSeconds: 0 },
    auth: { state: 'none', expiresAt: null },
    totals: { uploaded: 0, modified: 0, deleted: 0, moved: 0, requests: 0, bytesSent: 0 },
    failures: failures.slice(0, 1_000),
    failuresTotal: failures.length,
    skipped: [],
    skippedTotal: 0,
    held: settings.folders.flatMap(({ name }): readonly HeldStatus[] => {
      const hold = ledger.hold(name);
      return hold === undefined
        ? []
        : [{ folder: name, count: 0, since: isoOf(hold.since), reason: hold.reason, paths: [] }];
    }),
    inDoubt: doubts.map(({ ref, since, count, message }): InDoubtStatus => ({
      ...ref,
      since: isoOf(since),
      count,
      message,
    })),
    inDoubtTotal: doubts.length,
    transfers: [],
    possibleDuplicates: duplicates,
  };
}
