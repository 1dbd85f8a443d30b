import type { Stats } from 'node:fs';

import { readWatchLimit } from '../../lib/files/inotify.ts';
import { directoryOf } from '../../model/document.ts';
import type { FolderState } from '../folder-state.ts';
import { createChokidarWatcher } from './chokidar-backend.ts';
import { eventlessFileSystemAt } from './network-file-systems.ts';
import { createNativeWatcher } from './native-backend.ts';
import type { Watcher, WatcherEvents, WatchState } from './backend.ts';

export type WatchSet = ReturnType<typeof createWatchSet>;

/** So much of the machine's watches is left to other programs. */
const share = 0.9;

/** Watches the directories of a folder whose file systems report events. */
export function createWatchSet(folder: FolderState, events: WatcherEvents) {
  let watcher: Watcher | null = null;
  let limit = Infinity;
  let withoutEvents: string | null = null;

  /** What holds for the root holds for everything on its device; another device is asked for itself. */
  function isPolled(directory: string, absolute: string, { dev }: Stats): boolean {
    const above = directory === '' ? undefined : folder.tree.get(directoryOf(directory));
    if (above?.dev === dev) return above.polled;
    if (folder.settings.watch === 'polling') return true;
    if (folder.settings.watch === 'native') return false;
    try {
      const name = eventlessFileSystemAt(absolute);
      withoutEvents ??= name;
      return name !== null;
    } catch {
      // What statfs cannot tell of is better scanned too often than never.
      return true;
    }
  }

  return {
    /** Starts again for a root: watches of another one are given back first. */
    begin: async (backend: Watcher['kind'] | null): Promise<void> => {
      withoutEvents = null;
      await watcher?.close();
      limit = readWatchLimit() * share;
      watcher = backend === null ? null : createWatcher(backend, events);
    },
    /** The other backend takes over what is watched, and the first one ends when it has. */
    change: async (backend: Watcher['kind']): Promise<void> => {
      const before = watcher;
      if (before === null || before.kind === backend) return;
      watcher = createWatcher(backend, events);
      for (const watched of before.watched()) watcher.watch(watched);
      await watcher.armed();
      await before.close();
    },
    watch: (directory: string, absolute: string, stats: Stats): WatchState => {
      if (isPolled(directory, absolute, stats)) {
        watcher?.forget(directory);
        return { polled: true, unwatched: false };
      }
      const known = folder.tree.get(directory)?.unwatched === false;
      const room = known || (watcher?.count() ?? 0) < limit;
      const identity = `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
      return {
        polled: false,
        unwatched: !room || watcher?.watch({ directory, absolute, identity }) !== true,
      };
    },
    forget: (directory: string): void => watcher?.forget(directory),
    armed: async (): Promise<void> => watcher?.armed(),
    /** Null: nothing is watched. */
    backend: (): Watcher['kind'] | null => watcher?.kind ?? null,
    count: () => watcher?.count() ?? 0,
    /** A file system under the root that reports no events, by name; null: none was met. */
    eventlessFileSystem: () => withoutEvents,
  };
}

function createWatcher(backend: Watcher['kind'], events: WatcherEvents): Watcher {
  return backend === 'chokidar' ? createChokidarWatcher(events) : createNativeWatcher(events);
}
