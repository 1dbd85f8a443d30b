import type { Inspection, ScanCause } from '../../model/document.ts';
import type { RootIdentity } from '../../model/ports/ledger-port.ts';
import type { GroundPlan } from '../ground.ts';
import type { Moment } from '../rules/observations.ts';
import type { PackedSweep } from '../walk/packed-scan.ts';
import type { RootReading } from '../walk/root-identity.ts';
import type { Watcher } from '../watch/backend.ts';

/** What a worker is started with. */
export interface WorkerPlan extends GroundPlan {
  /** Null: chosen by the size of the tree. */
  readonly player: Watcher['kind'] | null;
}

/** What a sweep is asked for. */
export interface SweepRequest {
  readonly cause: ScanCause;
  /** Directories that rang; everything; or what does not ring: polled, unwatched and unreadable directories. */
  readonly targets: readonly string[] | 'all' | 'silent';
  /** Forget everything first: watches are set anew. */
  readonly anew: boolean;
}

/** How watching and reading stand after a sweep. */
export interface SweepReport {
  readonly directories: number;
  readonly watches: number;
  /** Files that are attachments of documents. */
  readonly attached: number;
  /** Null: nothing is watched. */
  readonly player: Watcher['kind'] | null;
  /** The root does not ring: the whole folder is polled. */
  readonly polled: boolean;
  /** The file system that does not ring, where that is why. */
  readonly silentFileSystem: string | null;
  /** Some directories do not ring, or could not be read: they have to be swept on a timer. */
  readonly silent: boolean;
  /** Directories for which no watch was to be had. */
  readonly unwatched: number;
  readonly unreadable: readonly { readonly path: string; readonly message: string }[];
  readonly unreadableTotal: number;
}

/** What came of a sweep. */
export type SweepOutcome =
  | {
      readonly kind: 'swept';
      /** Everything was swept. */
      readonly full: boolean;
      readonly root: RootIdentity;
      readonly changed: readonly string[];
      readonly fresh: readonly string[];
      /** Watches were set after the reading: it has to be read again. */
      readonly late: boolean;
      /** The tree has grown beyond what its watcher is good for: everything has to be swept anew. */
      readonly outgrown: boolean;
      readonly report: SweepReport;
    }
  /** The root is another one than that of the last sweep of everything: everything has to be swept anew. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'unavailable'; readonly code: string; readonly message: string };

/** Questions to a worker and their answers. */
export interface Questions {
  readonly sweep: { readonly ask: SweepRequest; readonly answer: SweepOutcome };
  readonly look: { readonly ask: { readonly path: string }; readonly answer: Inspection };
  /** Where a path stands on disk, absolute. */
  readonly locate: { readonly ask: { readonly path: string }; readonly answer: string };
  readonly root: { readonly ask: null; readonly answer: RootReading };
}

/** A question on its way. */
export type Question = {
  readonly [K in keyof Questions]: {
    readonly kind: K;
    readonly id: number;
    readonly ask: Questions[K]['ask'];
    readonly moment: Moment;
  };
}[keyof Questions];

/** The plan comes first, and once. */
export type ToWorker =
  { readonly kind: 'plan'; readonly plan: WorkerPlan } | Question | { readonly kind: 'taken' };

export type FromWorker =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Questions[keyof Questions]['answer'] }
  /** What went wrong that nobody foresaw. */
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  /** Answered with `taken`. */
  | { readonly kind: 'batch'; readonly sweeps: readonly PackedSweep[] }
  | { readonly kind: 'rings'; readonly directories: readonly string[] }
  | { readonly kind: 'lost'; readonly code: string; readonly message: string };
