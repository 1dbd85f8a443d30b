import type { Stats } from 'node:fs';

import { readWatchLimit } from '../../lib/watch-limit.ts';
import { directoryOf } from '../../model/document.ts';
import { createChokidarWatcher } from './chokidar-backend.ts';
import { silentFileSystemAt } from './network-file-systems.ts';
import type { Ground } from '../ground.ts';
import { createNativeWatcher } from './native-backend.ts';
import type { WatchState } from '../walk/visitor.ts';
import type { Watcher, WatcherEvents } from './backend.ts';

/** Sees to it that changes in a folder ring, where they can. */
export interface WatchPost {
  /** Starts anew for a root: watches of another one are given back first. */
  readonly begin: (player: Watcher['kind'] | null) => Promise<void>;
  readonly watch: (directory: string, absolute: string, stats: Stats) => WatchState;
  readonly forget: (directory: string) => void;
  readonly armed: () => Promise<boolean>;
  /** Null: nothing is watched. */
  readonly player: () => Watcher['kind'] | null;
  readonly count: () => number;
  /** A file system under the root that does not ring, by name; null: none was met. */
  readonly silentFileSystem: () => string | null;
}

/** So much of the machine's watches is left to other programs. */
const share = 0.9;

export function createWatchPost(ground: Ground, events: WatcherEvents): WatchPost {
  let watcher: Watcher | null = null;
  let limit = Infinity;
  let silent: string | null = null;

  /** The root's word holds for everything on its device; another device is asked for itself. */
  function isPolled(directory: string, absolute: string, { dev }: Stats): boolean {
    const above = directory === '' ? undefined : ground.tree.get(directoryOf(directory));
    if (above?.dev === dev) return above.polled;
    if (ground.settings.watch === 'polling') return true;
    if (ground.settings.watch === 'native') return false;
    try {
      const name = silentFileSystemAt(absolute);
      silent ??= name;
      return name !== null;
    } catch {
      // What statfs cannot tell of is better swept too often than never.
      return true;
    }
  }

  return {
    begin: async (player) => {
      silent = null;
      await watcher?.close();
      limit = readWatchLimit() * share;
      if (player === null) watcher = null;
      else watcher = player === 'chokidar' ? createChokidarWatcher(events) : createNativeWatcher(events);
    },
    watch: (directory, absolute, stats) => {
      if (isPolled(directory, absolute, stats)) {
        watcher?.forget(directory);
        return { polled: true, unwatched: false };
      }
      const known = ground.tree.get(directory)?.unwatched === false;
      const room = known || (watcher?.count() ?? 0) < limit;
      const identity = `${stats.dev}:${stats.ino}`;
      return {
        polled: false,
        unwatched: !room || watcher?.watch({ directory, absolute, identity }) !== true,
      };
    },
    forget: (directory) => watcher?.forget(directory),
    armed: async () => (await watcher?.armed()) ?? false,
    player: () => watcher?.kind ?? null,
    count: () => watcher?.count() ?? 0,
    silentFileSystem: () => silent,
  };
}
