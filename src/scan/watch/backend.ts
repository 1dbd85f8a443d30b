/** What a watcher reports. Directories are paths as they were given to `watch`. */
export interface WatcherEvents {
  /** Something changed in a directory, or the directory itself did. It means: scan it. */
  readonly changed: (directory: string) => void;
  /** Events were lost, or cannot be had: everything has to be scanned. */
  readonly lost: (reason: { readonly code: string; readonly message: string }) => void;
}

/** A directory to watch. */
export interface WatchedDirectory {
  readonly directory: string;
  readonly absolute: string;
  /** Device, inode number and birth time: another one under the same path is watched again. */
  readonly identity: string;
}

/** Watches single directories, not what is below them: one watch a directory. */
export interface Watcher {
  readonly kind: 'chokidar' | 'native';
  /** Watches a directory unless it is already. False: the operating system has no watch left. */
  readonly watch: (directory: WatchedDirectory) => boolean;
  readonly forget: (directory: string) => void;
  /** What is watched. */
  readonly watched: () => Iterable<WatchedDirectory>;
  /** Watches that the operating system holds. */
  readonly count: () => number;
  /** Resolves when all that was asked for is in place. */
  readonly armed: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How changes in a directory come to be known. */
export interface WatchState {
  /** Its file system reports no events. */
  readonly polled: boolean;
  /** The operating system gives no watch for it. */
  readonly unwatched: boolean;
}
