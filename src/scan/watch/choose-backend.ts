import { opendirSync } from 'node:fs';

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
 * What costs is chiefly that chokidar sets its watches late, after which everything is read once more.
 */
const chokidarUpTo = { directories: 3_000, entries: 30_000 };

/** What decides which backend watches a tree. */
export interface BackendQuestion {
  /** The root, absolute. */
  readonly root: string;
  readonly followSymlinks: boolean;
  /** The backend that the caller insists on; null: the tree's size decides. */
  readonly wanted: Watcher['kind'] | null;
  /** The operating system had no watch left at the last try. */
  readonly outOfWatches: boolean;
}

/** Chooses who watches a tree: chokidar watches ordinary trees. */
export function chooseBackend({
  root,
  followSymlinks,
  wanted,
  outOfWatches,
}: BackendQuestion): Watcher['kind'] {
  if (wanted !== null) return wanted;
  // A followed link's target reports events under its own path only, and chokidar takes a backslash for a slash.
  if (outOfWatches || followSymlinks || root.includes('\\')) return 'native';
  const { directories, entries } = measureTree(root, chokidarUpTo);
  return directories <= chokidarUpTo.directories && entries <= chokidarUpTo.entries ? 'chokidar' : 'native';
}

/** Says whether a tree has outgrown chokidar. At twice the limit: one that stays about it does not go back and forth. */
export function hasOutgrownChokidar({ directories, entries }: TreeSize): boolean {
  return directories > 2 * chokidarUpTo.directories || entries > 2 * chokidarUpTo.entries;
}

/** How large a tree is, as far as it matters. */
interface TreeSize {
  readonly directories: number;
  readonly entries: number;
}

/** Counts directories and entries below `root`, and stops when either is beyond `limit`. Never throws. */
function measureTree(root: string, limit: TreeSize): TreeSize {
  const waiting = [root];
  let directories = 0;
  let entries = 0;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    directories += 1;
    try {
      const directory = opendirSync(path, { bufferSize: 256 });
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        entries += 1;
        if (entry.isDirectory() && !entry.name.startsWith('.')) waiting.push(`${path}/${entry.name}`);
        if (entries > limit.entries) break;
      }
      directory.closeSync();
    } catch {
      // It cannot be read, so it needs no counting.
    }
    if (directories > limit.directories || entries > limit.entries) break;
  }
  return { directories: directories + waiting.length, entries };
}
