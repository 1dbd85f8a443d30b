import { watch as watchDirectory } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { basename } from 'node:path';

import { errorCode, errorMessage } from '../../model/errors.ts';
import type { WatchedDirectory, Watcher, WatcherEvents } from './backend.ts';

/** One `fs.watch` a directory. A watch is in place when `watch` returns. */
export function createNativeWatcher(events: WatcherEvents): Watcher {
  const watches = new Map<string, WatchedDirectory & { readonly handle: FSWatcher }>();

  function forget(directory: string): void {
    watches.get(directory)?.handle.close();
    watches.delete(directory);
  }

  function open({ directory, absolute, identity }: WatchedDirectory): void {
    const own = basename(absolute);
    const handle = watchDirectory(absolute, (event, name) => {
      if (watches.get(directory)?.handle !== handle) return;
      // Its own name: it was moved, removed or unmounted, and the watch may be dead. The next scan sets another.
      if (event === 'rename' && name === own) forget(directory);
      events.changed(directory);
    });
    handle.on('error', (error) => {
      forget(directory);
      events.lost({ code: errorCode(error) ?? 'watch-failed', message: errorMessage(error) });
    });
    watches.set(directory, { directory, absolute, identity, handle });
  }

  return {
    kind: 'native',
    watch: (wanted) => {
      if (watches.get(wanted.directory)?.identity === wanted.identity) return true;
      forget(wanted.directory);
      try {
        open(wanted);
        return true;
      } catch {
        return false;
      }
    },
    forget,
    watched: () => watches.values(),
    count: () => watches.size,
    armed: () => Promise.resolve(),
    close: () => {
      for (const { handle } of watches.values()) handle.close();
      watches.clear();
      return Promise.resolve();
    },
  };
}
