import type { Readable } from 'node:stream';
import type { DirectoryScan, FileStat, Inspection } from '../document.ts';
import type { RootIdentity } from './ledger-port.ts';

/** How a folder is doing. */
export interface FolderHealth {
  readonly state: 'scanning' | 'watching' | 'polling' | 'unavailable';
  /** Watches the operating system holds for it. */
  readonly watches: number;
  /** Files in it that are attachments of documents. */
  readonly attached: number;
  /** In words, each with a fixed code: unreadable directories, watch limit, root gone. */
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  /** True while a ring waits for its sweep or a sweep runs. */
  readonly busy: boolean;
  /**
   * Monotonic ms: what changed before that was listed, and once more when it had settled. A file that never stops
   * growing keeps its folder busy and does not hold this back. -Infinity: not yet.
   */
  readonly coveredUntil: number;
}

/** What a folder tells while it is watched. Calls come in the order of the sweeps and never overlap. */
export interface FolderListener {
  /** One directory was listed. */
  readonly directory: (sweep: DirectoryScan) => void;
  /** Every directory was listed once under the root's identity; what the ledger knows elsewhere is gone. */
  readonly scanned: (summary: {
    readonly cause: DirectoryScan['cause'];
    readonly root: RootIdentity;
  }) => void;
  /** Health changed. */
  readonly changed: () => void;
}

/** A regular file, open for one sending: the file that was looked at, and no more bytes than it had then. */
export interface ContentSource {
  readonly size: number;
  /**
   * Streams exactly `size` bytes, once. Errors with ContentChangedError when the file has fewer. Bytes beyond
   * are never read.
   */
  readonly stream: () => Readable;
  /** Lower-case hex of the bytes that were streamed; valid after the stream ended. */
  readonly sha256: () => string;
  /** Gives the descriptor back. May be called twice. */
  readonly close: () => Promise<void>;
}

/** One watched directory tree. It only reads. */
export interface FolderPort {
  readonly name: string;
  readonly path: string;
  /**
   * Watches, then sweeps everything, then goes on listening until closed. Resolves after the first sweep, or at
   * once when the root is not there: the folder is then unavailable and is tried again by itself.
   */
  readonly start: (listener: FolderListener) => Promise<void>;
  /** Sweeps everything once more; resolves when that is done. */
  readonly rescan: (cause: DirectoryScan['cause']) => Promise<void>;
  /** Looks at one path now. Never throws for what is on disk: that is in the answer. */
  readonly inspect: (path: string) => Promise<Inspection>;
  /** Identity of the root as it is at this moment; null: not there or not readable. */
  readonly rootNow: () => Promise<RootIdentity | null>;
  /** SHA-256 of a file, lower-case hex; null when the file is no longer the one that `stat` tells of. */
  readonly hash: (path: string, stat: FileStat) => Promise<string | null>;
  /**
   * Opens a file for sending: without following links, without blocking, checked to be the regular file of
   * `stat`. Rejects with ContentChangedError when it is not, ContentUnreadableError when it cannot be read.
   */
  readonly open: (path: string, stat: FileStat) => Promise<ContentSource>;
  readonly health: () => FolderHealth;
  /** Stops watching and sweeping; nothing is called afterwards. */
  readonly close: () => Promise<void>;
}
