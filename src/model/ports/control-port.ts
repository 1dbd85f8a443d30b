import type { Activity, Decider, Reason, Status } from '../report/status.ts';
import type { DocumentRef } from '../document.ts';
import type { ShareMode } from '../metadata/metadata.ts';
import type { Why } from '../report/command-reports.ts';

/** A person's word about an upload in doubt: the service has it, send it again, forget it. */
export type Resolution =
  | { readonly kind: 'adopt'; readonly docId: string }
  | { readonly kind: 'again' }
  | { readonly kind: 'dismiss' };

/** A document that is held more narrowly than is stated for it: `folder/path`, and the mode that is stated. */
export interface NarrowerDocument {
  readonly path: string;
  readonly sharing: ShareMode;
}

/** Which documents are wanted. */
export interface DocumentQuery {
  /** Words that all have to occur in `folder/path`, in any case; empty: all documents. */
  readonly search: string;
  /** Only those that are held more narrowly than is stated for them. */
  readonly narrower: boolean;
}

/** Documents at the service, the first hundred of those that are wanted. */
export interface DocumentListing {
  readonly documents: readonly (DocumentRef & {
    /** Who can see it; null: nobody knows. */
    readonly sharing: ShareMode | null;
    /** Where it can be seen at the service; null: `service.documentUrl` does not say. */
    readonly url: string | null;
    /** The wider mode that is stated, and why it is not in force; null: none is. */
    readonly narrower: Why['narrower'];
  })[];
  /** How many are wanted. */
  readonly total: number;
}

/** Held deletions as a person was shown them: how many, and of some of them, or all, `folder/path`. */
export interface ShownDeletions {
  readonly most: number;
  readonly paths: readonly string[];
}

/** The folders that are paused now. */
export interface PausedFolders {
  readonly paused: readonly string[];
  /** When those that are paused for a time are resumed by themselves, ISO 8601, by name. */
  readonly ends: Readonly<Record<string, string>>;
}

/** What a person decides, with a running daemon or, for the next start, without one. What comes of it is in the log. */
export interface DecisionPort {
  /**
   * Puts failed documents back into the queue; no path: all but those in doubt. One in doubt is sent again, and so is one
   * that was delivered, as a modify. `all`: the paths are names of folders, all of whose delivered documents are meant.
   * Throws ConfigurationError for a folder that is not configured, and where of one of the paths there is nothing to send:
   * then nothing is done.
   */
  readonly retry: (
    paths: readonly string[],
    options?: { readonly all?: boolean },
  ) => Promise<{ readonly retried: number }>;
  /**
   * Ends the doubt about one document. Throws ConfigurationError where the path is not in doubt, its file is gone, or
   * changing where the doubt is dismissed, the docId is known, or a request about it is under way.
   */
  readonly resolve: (path: string, resolution: Resolution) => Promise<void>;
  /**
   * Releases held deletions of one folder, or of all. `shown` left out: whatever is held. Throws ConfigurationError for a
   * folder that is not configured, and where others are held by now than were shown: then none is released.
   */
  readonly approve: (folder: string | null, shown?: ShownDeletions) => Promise<{ readonly approved: number }>;
  /**
   * Names the documents at these paths, or below them, that are held more narrowly than is stated for them. Those of
   * `shown` that are among them with the same mode then get it; left out: none does. `barred`: how many more there are
   * that nobody's word can widen. Throws ConfigurationError for a path that is in no folder.
   */
  readonly share: (
    paths: readonly string[],
    shown?: readonly NarrowerDocument[],
  ) => Promise<{
    readonly documents: readonly NarrowerDocument[];
    readonly shared: number;
    readonly barred: number;
  }>;
  /**
   * The other answer to held deletions: their documents stay at the service. `place`: a folder's name, or a path in one
   * and all below it; null: all. Throws ConfigurationError for a place that is in no configured folder.
   */
  readonly keep: (place: string | null) => Promise<{ readonly kept: number }>;
  /**
   * Sends nothing of one folder, or of all, until `resume`, or for `ms` at most: kept over restarts, durable when it
   * resolves; requests under way end. Both throw ConfigurationError for a folder that is not configured.
   */
  readonly pause: (folder: string | null, ms?: number) => Promise<PausedFolders>;
  readonly resume: (folder: string | null) => Promise<PausedFolders>;
}

/** What the HTTP address and the command line may ask of a running daemon. */
export interface ControlPort {
  readonly status: () => Status;
  /** `path` is absolute, or `folder/path`, or a path inside the only folder. */
  readonly why: (path: string) => Promise<Why>;
  readonly documents: (query: DocumentQuery) => Promise<DocumentListing>;
  readonly decisions: (by: Decider) => DecisionPort;
  /** Begins to scan one folder, or all. Throws ConfigurationError for a folder that is not configured. */
  readonly rescan: (folder: string | null) => { readonly folders: readonly string[] };
  readonly revoke: (options: { readonly all: boolean }) => Promise<void>;
  /** True while the process makes progress. */
  readonly healthy: () => boolean;
  /** Empty: ready. Folders watched and credentials accepted, else why not. */
  readonly unready: () => readonly Reason[];
  /** Calls on every activity; what it returns ends that. */
  readonly onActivity: (listener: (activity: Activity) => void) => () => void;
  /** Calls when the status may have changed, at most a few times a second. */
  readonly onStatus: (listener: () => void) => () => void;
}
