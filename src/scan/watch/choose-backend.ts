import type { Watcher } from './backend.ts';

/**
 * Up to this size chokidar watches a tree; a larger one is watched by `fs.watch` directly, so that 100,000 files start
 * in little time and memory. Measured, a directory with ten files each, chokidar beside `fs.watch`, medians of three:
 *
 * | directories | files  | start (s)   | peak memory (MB) |
 * |-------------|--------|-------------|------------------|
 * | 300         | 3,000  | 0.5 : 0.6   | 82 : 80          |
 * | 1,000       | 10,000 | 1.0 : 1.0   | 92 : 84          |
 * | 3,000       | 30,000 | 2.4 : 1.3   | 109 : 94         |
 * | 10,000      | 100,000 | 3.1 : 1.4  | 153 : 115        |
 *
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
