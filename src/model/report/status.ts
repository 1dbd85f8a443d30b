import type { AuthStatus } from '../ports/service-port.ts';
import type { WaitKind } from './wait-kinds.ts';

/** No list of a status or report is longer; beside it stands how many there are in all. */
export const longestList = 1_000;
/** So many held deletions of a folder are named. */
export const heldNames = 100;

export interface Reason {
  readonly code: string;
  readonly message: string;
}

/** `stopped`: no daemon runs and the ledger alone is read. `standby`: another host does the work. */
export type DaemonState =
  'starting' | 'working' | 'idle' | 'paused' | 'degraded' | 'stopping' | 'stopped' | 'standby';

/** Whether something needs a person: nothing, some documents, or everything. See `health`. */
export type Health = 'ok' | 'attention' | 'error';

export interface FolderStatus {
  readonly name: string;
  readonly path: string;
  /** `stopped`: no daemon runs, so it is unknown. */
  readonly state: 'scanning' | 'watching' | 'polling' | 'unavailable' | 'stopped';
  readonly watches: number;
  readonly onDisk: number;
  readonly synced: number;
  readonly pending: number;
  readonly waiting: number;
  readonly failed: number;
  readonly skipped: number;
  readonly held: number;
  /** Documents that stay at the service although their file is ignored, kept or out of reach. */
  readonly kept: number;
  /** Files that are attachments of documents. */
  readonly attached: number;
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
  /** Base64, where the path is not UTF-8: U+FFFD then stands in `path`. */
  readonly pathBytes?: string | undefined;
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

/** A document that the service may hold more than once. */
export interface DuplicateStatus {
  readonly folder: string;
  readonly path: string;
  /** How many more of it there may be. */
  readonly copies: number;
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
  /** Everything that shows the overall state derives from it. */
  readonly health: Health;
  readonly state: DaemonState;
  /** Names of the folders of which nothing is sent, because a person said so. */
  readonly paused: readonly string[];
  /** True for the embedded service: documents go no further than this machine. */
  readonly trial: boolean;
  /** Address of the ingestion endpoints. */
  readonly service: string;
  /** The user who signs in; null: not known. */
  readonly account: string | null;
  /** Path of the configuration file. */
  readonly configuration: string;
  readonly reasons: readonly Reason[];
  readonly folders: readonly FolderStatus[];
  /** Documents at the service whose folders the configuration does not name any more; absent: none. */
  readonly unconfigured?: readonly { readonly name: string; readonly documents: number }[] | undefined;
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
  /** Among the hosts of one account; left out where this host is alone. `hosts`: those connected to Redis, 0: not known. */
  readonly fleet?: { readonly host: string; readonly hosts: number } | undefined;
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
  /** Documents that wait for a sidecar, an attachment or a file that can be read; those that are retried are in `failures`. */
  readonly waiting: readonly SkipStatus[];
  readonly waitingTotal: number;
  /** All that wait, by what they wait for: together the `waiting` of the folders. */
  readonly waitingFor: Readonly<Record<WaitKind, number>>;
  readonly held: readonly HeldStatus[];
  readonly inDoubt: readonly InDoubtStatus[];
  readonly inDoubtTotal: number;
  readonly transfers: readonly TransferStatus[];
  readonly possibleDuplicates: number;
  /** Which documents they are of, at most a thousand. */
  readonly duplicates: readonly DuplicateStatus[];
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
  /** How many documents it covers: bulk calls. */
  readonly documents: number;
}
