import type { Watcher } from './backend.ts';

/**
 * Up to this size chokidar watches a tree; a larger one is watched by `fs.watch` directly, so that 100,000 files start
 * in little time and memory: measured, in 1.4 s and 115 MB in place of 3.1 s and 153 MB; 10,000 files in 1.0 s with both.
 * What costs is chiefly that chokidar sets its watches late; when this was measured, everything was read once more after
 * that. How large a tree is only its first scan tells: until chokidar has taken over, `fs.watch` watches it.
 */
const chokidarUpTo = { directories: 3_000, entries: 30_000 };

/** Chooses who watches a tree of the size that its scan has shown: chokidar watches ordinary trees. */
export function chooseBackend({
  outOfWatches,
  directories,
  entries,
}: {
  /** The operating system had no watch left at the last try. */
  readonly outOfWatches: boolean;
  readonly directories: number;
  readonly entries: number;
}): Watcher['kind'] {
  if (outOfWatches) return 'native';
  return directories <= chokidarUpTo.directories && entries <= chokidarUpTo.entries ? 'chokidar' : 'native';
}
