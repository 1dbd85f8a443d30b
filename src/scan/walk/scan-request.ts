import type { ScanCause } from '../../model/document.ts';
import type { UnreadableDirectory } from '../../model/ports/folder-port.ts';
import type { RootIdentity } from '../../model/ports/ledger-port.ts';
import type { Watcher } from '../watch/backend.ts';
import type { UnreadDirectory } from './directory-state.ts';

/** What a scan is asked for. */
export interface ScanRequest {
  readonly cause: ScanCause;
  /** Directories with events; everything; or what has none: polled, unwatched and unreadable directories. */
  readonly targets: readonly string[] | 'all' | 'withoutEvents';
  /** Forget everything first: watches are set again. */
  readonly fromScratch: boolean;
}

/** A directory that cannot be read, or not in full. */
export interface UnreadPlace extends Pick<UnreadDirectory, 'message' | 'code'> {
  /** NFC, from the root. */
  readonly path: string;
  /** It was listed: only something in it cannot be read. */
  readonly isListed: boolean;
  /** When it is read again by itself, monotonic ms; null: it is polled. */
  readonly againAt: number | null;
}

/** How watching and reading stand after a scan. */
export interface ScanReport {
  readonly directories: number;
  readonly watches: number;
  /** Files that are attachments of documents. */
  readonly attached: number;
  /** Null: nothing is watched. */
  readonly backend: Watcher['kind'] | null;
  /** The root's file system reports no events: the whole folder is polled. */
  readonly polled: boolean;
  /** The file system without events, where that is why. */
  readonly eventlessFileSystem: string | null;
  /** Some directories report no events. */
  readonly eventless: boolean;
  /** Some do not, or could not be read: they are scanned on a timer. */
  readonly withoutEvents: boolean;
  /** Directories for which no watch was to be had. */
  readonly unwatched: number;
  /** All that are read again by themselves, and some others. */
  readonly unreadable: readonly UnreadPlace[];
  readonly unreadableTotal: number;
}

/** What came of a scan. */
export type ScanOutcome =
  | {
      readonly kind: 'scanned';
      /** Everything was scanned. */
      readonly full: boolean;
      readonly root: RootIdentity;
      /** Of the whole folder, where all of it was scanned. */
      readonly unreadable: readonly UnreadableDirectory[];
      readonly changed: readonly string[];
      readonly report: ScanReport;
    }
  /** The root is another one than that of the last scan of everything: everything has to be scanned from scratch. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'unavailable'; readonly code: string; readonly message: string };
