import type { Readable } from 'node:stream';
import type { DirectoryScan, FileStat, Inspection, ScanCause } from '../document.ts';
import type { Reason } from '../report/status.ts';
import type { RootIdentity } from './ledger-port.ts';

/** How a folder is doing. */
export interface FolderHealth {
  readonly state: 'scanning' | 'watching' | 'polling' | 'unavailable';
  /** Watches the operating system holds for it. */
  readonly watches: number;
  /** Files in it that are attachments of documents. */
  readonly attached: number;
  /** In words, each with a fixed code: unreadable directories, watch limit, root gone. */
  readonly reasons: readonly Reason[];
  /** True while an event waits for its scan or a scan runs. */
  readonly busy: boolean;
  /**
   * Monotonic ms: what changed before that was listed, and once more when it had settled; where nothing reports changes,
   * as far as it was polled. A file that never stops growing keeps its folder busy and does not hold this back.
   * -Infinity: not yet.
   */
  readonly coveredUntil: number;
}

/** What a folder reports while it is watched. Calls come in the order of the scans and never overlap. */
export interface FolderListener {
  /** One directory was listed. */
  readonly directory: (scan: DirectoryScan) => void;
  /**
   * Every directory was listed once under the root's identity; what the ledger knows elsewhere is gone. `unreadable`: as
   * they looked then.
   */
  readonly scanned: (root: RootIdentity, unreadable: readonly UnreadableDirectory[]) => void;
  /** Health changed. */
  readonly changed: () => void;
}

/** A regular file, open for one request: the file that was inspected, and no more bytes than it had then. */
export interface ContentSource {
  readonly size: number;
  /** Streams exactly `size` bytes, once. Errors with ContentChangedError when the file has fewer; reads none beyond. */
  readonly stream: () => Readable;
  /** Lower-case hex of the bytes that were streamed; valid after the stream ended. */
  readonly sha256: () => string;
  /** Gives the descriptor back. May be called twice. */
  readonly close: () => Promise<void>;
}

/** A file that was looked for, where it stands now. */
export interface FoundFile {
  /** NFC, from the folder's root. */
  readonly path: string;
  readonly stat: FileStat;
  /** False: its path names another entry, or none: names that are not UTF-8, or differ in their Unicode form only. */
  readonly isNamed: boolean;
}

/** A directory in which something cannot be read. */
export interface UnreadableDirectory {
  readonly path: string;
  /**
   * Differs when its entries, its name or its rights change, or when a directory above it is another one, with which it
   * may have been moved here. Null: it cannot be looked at, or directories inside may have changed.
   */
  readonly look: string | null;
}

/** Where files are that were looked for in a folder. */
export interface FoundFiles {
  readonly files: readonly FoundFile[];
  /** Directories in which others of the files may be. */
  readonly unreadable: readonly UnreadableDirectory[];
  /** Directories, NFC, with others in them that were not listed yet: files may be below these. They are listed next. */
  readonly unlisted: readonly string[];
  /** A number that differs when a directory looks different. Null: it cannot be said. */
  readonly look: number | null;
}

/** A file that went out, or was to go out, with a document. */
export interface AttachmentQuestion {
  /** The document's path. */
  readonly owner: string;
  /** Where the file stood as its attachment; null: in another folder, as may be what the sidecar lists outside of this one. */
  readonly path: string | null;
  /** The last part of the path where it stood, in whatever folder, and the name that it was last sent with. */
  readonly names: readonly string[];
  /** The file that stands elsewhere now; null: it is the one that stands there. */
  readonly elsewhere: FileStat | null;
}

/**
 * What is on disk of an attachment's document:
 * - `listed`: its settled, valid sidecar lists the attachment's path, or, where the document has moved, its name at a place
 *   to which it may follow;
 * - `dropped`: it does not, or another file stands there;
 * - `settling`: its sidecar was changed a moment ago;
 * - `unlisted`: it stands, and has no sidecar;
 * - `unclear`: it has none that can be used;
 * - `gone`: neither the document nor a sidecar of it exists.
 */
export type AttachmentAnswer = 'listed' | 'dropped' | 'settling' | 'unlisted' | 'unclear' | 'gone';

/** One watched directory tree. It only reads. */
export interface FolderPort {
  readonly name: string;
  readonly path: string;
  /**
   * Watches, then scans everything, then goes on watching until closed. Resolves after the first scan, or at
   * once when the root is not there: the folder is then unavailable and keeps retrying.
   */
  readonly start: (listener: FolderListener) => Promise<void>;
  /** Scans everything once more; resolves when that is done. */
  readonly rescan: (cause: ScanCause) => Promise<void>;
  /**
   * Inspects one path now. Never throws for what is on disk: the result says it. `sentWith`: what its document was last
   * sent with besides what lay in its directory of attachments, from the root: that is its list while it has no sidecar.
   */
  readonly inspect: (path: string, sentWith?: readonly string[]) => Promise<Inspection>;
  /** Whether a file is still an attachment of a document. Never rejects. */
  readonly attaches: (question: AttachmentQuestion) => Promise<AttachmentAnswer>;
  /**
   * Looks for files by their identity in every directory that is listed, as it is now: what is ignored by its own name,
   * attached, empty or of no supported type is found too. Null: the root cannot be read. For no files it says only what the
   * directories look like.
   */
  readonly find: (files: readonly FileStat[]) => Promise<FoundFiles | null>;
  /**
   * Directories below the root, NFC, on which something is mounted now; none where the system has no mount table. Null:
   * they cannot be read at this moment.
   */
  readonly mounts: () => Promise<readonly string[] | null>;
  /** Identity of the root as it is at this moment; null: not there or not readable. */
  readonly rootNow: () => Promise<RootIdentity | null>;
  /** SHA-256 of a file, lower-case hex; null when the file no longer has this `stat`. */
  readonly hash: (path: string, stat: FileStat) => Promise<string | null>;
  /**
   * What a file lacks by its own format, in words: contract 7.36. Null: nothing, its format does not tell, or it cannot be
   * read as the file of `stat`, which opening it says.
   */
  readonly missingPart: (path: string, stat: FileStat) => Promise<string | null>;
  /**
   * Opens a file for sending: without following links, without blocking, checked to be the regular file of
   * `stat`. Rejects with ContentChangedError when it is not, ContentUnreadableError when it cannot be read.
   */
  readonly open: (path: string, stat: FileStat) => Promise<ContentSource>;
  readonly health: () => FolderHealth;
  /** Stops watching and scanning; nothing is called afterwards. */
  readonly close: () => Promise<void>;
}
