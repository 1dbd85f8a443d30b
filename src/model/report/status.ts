import type { AuthStatus } from '../ports/service-port.ts';

export interface Reason {
  readonly code: string;
  readonly message: string;
}

export type DaemonState = 'starting' | 'working' | 'idle' | 'paused' | 'degraded' | 'stopping';

export interface FolderStatus {
  readonly name: string;
  readonly path: string;
  readonly state: 'scanning' | 'watching' | 'polling' | 'unavailable';
  readonly watches: number;
  readonly onDisk: number;
  readonly synced: number;
  readonly pending: number;
  readonly waiting: number;
  readonly failed: number;
  readonly skipped: number;
  readonly held: number;
  readonly oldestUnsyncedSeconds: number;
  readonly missedByWatcher: number;
}

export interface FailureStatus {
  readonly folder: string;
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
  /** ISO 8601, UTC. */
  readonly retryAt: string | null;
}

export interface SkipStatus {
  readonly folder: string;
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

export interface HeldStatus {
  readonly folder: string;
  readonly count: number;
  readonly since: string;
  readonly reason: string;
  /** Names of the first hundred. */
  readonly paths: readonly string[];
}

export interface InDoubtStatus {
  readonly folder: string;
  readonly path: string;
  readonly since: string;
  readonly count: number;
  readonly message: string;
}

/** One request under way. */
export interface TransferStatus {
  readonly folder: string;
  readonly path: string;
  readonly operation: string;
  readonly bytesSent: number;
  readonly bytesTotal: number;
  readonly documents: number;
}

/** Contract section 6, word for word, and what stands beside it. */
export interface Status {
  readonly version: string;
  readonly startedAt: string;
  readonly pid: number;
  readonly state: DaemonState;
  readonly reasons: readonly Reason[];
  readonly folders: readonly FolderStatus[];
  readonly queue: {
    readonly pending: number;
    readonly inFlight: number;
    readonly waiting: number;
    readonly etaSeconds: number;
  };
  readonly rate: {
    readonly limit: number;
    readonly used: number;
    readonly windowSeconds: number;
    readonly pausedUntil: string | null;
    readonly nextFreeSeconds: number;
  };
  readonly auth: AuthStatus;
  readonly totals: {
    readonly uploaded: number;
    readonly modified: number;
    readonly deleted: number;
    readonly moved: number;
    readonly requests: number;
    readonly bytesSent: number;
  };
  readonly failures: readonly FailureStatus[];
  readonly failuresTotal: number;
  readonly skipped: readonly SkipStatus[];
  readonly skippedTotal: number;
  readonly held: readonly HeldStatus[];
  readonly inDoubt: readonly InDoubtStatus[];
  readonly inDoubtTotal: number;
  readonly transfers: readonly TransferStatus[];
  readonly possibleDuplicates: number;
  /** Those of them that stand in records; the others are what is in doubt. */
  readonly recordedDuplicates: number;
}

/** One thing that happened, for the activity list and the log. */
export interface Activity {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly folder: string;
  readonly path: string;
  /** uploaded, modified, deleted, moved, failed, held, in doubt, warning … */
  readonly what: string;
  readonly docId: string | null;
  readonly message: string | null;
  /** Documents it stands for: bulk calls. */
  readonly documents: number;
}
