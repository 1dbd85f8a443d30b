/** What `sync` would do: contract section 2, `plan`. */
export interface PlanReport {
  readonly operations: readonly PlannedOperation[];
  /** Folders that could not be scanned: nothing of them is planned. */
  readonly unavailable: readonly { readonly folder: string; readonly message: string }[];
  /** Names of paused folders: nothing of them is sent before `resume`. */
  readonly paused: readonly string[];
  /** Directories that could not be read: nothing in them is planned. */
  readonly unreadable: readonly { readonly folder: string; readonly message: string }[];
  readonly counts: {
    readonly upload: number;
    readonly modify: number;
    readonly move: number;
    readonly delete: number;
    readonly held: number;
    readonly failed: number;
    /** Documents that still change, or that wait for a sidecar or an attachment. */
    readonly waiting: number;
    /** Files that are no documents that can be sent. */
    readonly skipped: number;
    /** Documents that stay at the service as they are, because their file is ignored, skipped or kept. */
    readonly kept: number;
    readonly unchanged: number;
  };
  /** Requests to the ingestion endpoints, bulk calls counted as one. */
  readonly requests: number;
  /** How long they take at the rate limit, at the least. */
  readonly seconds: number;
}

export interface PlannedOperation {
  readonly kind:
    'upload' | 'modify' | 'move' | 'delete' | 'bulk modify' | 'bulk delete' | 'held' | 'failed' | 'waiting';
  readonly folder: string;
  readonly path: string;
  /** Of a move: where it was, `folder/path`. */
  readonly from: string | null;
  readonly docId: string | null;
  /** What changes, in words: content, attachments, names of metadata fields. */
  readonly parts: readonly string[];
  /** Of what is held, failed or waiting: why, for programs. */
  readonly code: string | null;
  readonly message: string | null;
}

/** One finding of `check`. */
export interface CheckFinding {
  readonly level: 'error' | 'warning' | 'info';
  /** What it is about: a configuration key, a folder's name, a file's path. */
  readonly subject: string;
  /** Base64, where the subject is a path that is not UTF-8: of the path below the folder. */
  readonly pathBytes?: string;
  readonly code: string;
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
}
