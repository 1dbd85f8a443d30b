import type { FolderStatus, Status } from './status.ts';
import { noWaits } from './wait-kinds.ts';

/** The counts of a folder of which nothing is known. */
export const noDocuments: Omit<FolderStatus, 'name' | 'path' | 'state'> = {
  watches: 0,
  onDisk: 0,
  synced: 0,
  pending: 0,
  waiting: 0,
  failed: 0,
  skipped: 0,
  held: 0,
  kept: 0,
  attached: 0,
  oldestUnsyncedSeconds: 0,
  missedByWatcher: 0,
};

type Content = Omit<
  Status,
  | 'version'
  | 'startedAt'
  | 'pid'
  | 'health'
  | 'state'
  | 'trial'
  | 'service'
  | 'account'
  | 'configuration'
  | 'reasons'
  | 'folders'
>;

/** What a status holds of documents and requests while nothing runs that sends. `limit`: requests a minute. */
export function emptyStatus(limit: number): Content {
  return {
    paused: [],
    queue: { pending: 0, inFlight: 0, waiting: 0, etaSeconds: 0 },
    rate: { limit, used: 0, windowSeconds: 60, pausedUntil: null, nextFreeSeconds: 0 },
    auth: { state: 'none', expiresAt: null },
    totals: { uploaded: 0, modified: 0, deleted: 0, moved: 0, requests: 0, bytesSent: 0 },
    failures: [],
    failuresTotal: 0,
    skipped: [],
    skippedTotal: 0,
    waiting: [],
    waitingTotal: 0,
    waitingFor: noWaits(),
    held: [],
    inDoubt: [],
    inDoubtTotal: 0,
    transfers: [],
    possibleDuplicates: 0,
    duplicates: [],
    recordedDuplicates: 0,
  };
}
