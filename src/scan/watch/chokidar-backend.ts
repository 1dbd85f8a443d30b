import { basename } from 'node:path';

import { FSWatcher } from 'chokidar';

import { errorCode, errorMessage, readFaultOf } from '../../model/errors.ts';
import type { WatchedDirectory, Watcher, WatcherEvents } from './backend.ts';
import { createNativeWatcher } from './native-backend.ts';

/** An instance that never says that it is ready is not waited for. */
const readyWithinMs = 5_000;

/**
 * chokidar on single directories: files and directories that nobody asked for are ignored, its `raw` events count.
 * It reads a directory before it watches it, so watches come late; the scan reads what is in a directory. It takes a
 * backslash for a slash: directories with one in their path are watched by `fs.watch`.
 */
export function createChokidarWatcher(events: WatcherEvents): Watcher {
  const native = createNativeWatcher(events);
  const wanted = new Map<string, WatchedDirectory>();
  const directories = new Map<string, string>();
  const placed = new Set<string>();
  const pending = new Set<string>();
  let waiting: Promise<void> | null = null;
  const chokidar = new DirectoryWatcher({
    ignored: (path, stats) => {
      // Where it has met a link it sets no watch ever after.
      const isWanted = directories.has(path) && stats?.isDirectory() !== false;
      if (!isWanted) unplaced(path);
      return !isWanted;
    },
    followSymlinks: false,
    ignoreInitial: true,
    ignorePermissionErrors: true,
    atomic: false,
    usePolling: false,
  });

  chokidar.on('raw', (event: string, name: string | null, details: unknown) => {
    const absolute = watchedPath(details);
    const directory = absolute === null ? undefined : directories.get(absolute);
    if (absolute === null || directory === undefined) return;
    // Its own name: it was moved, removed or unmounted, and the watch may be dead. The next scan sets another.
    if (event === 'rename' && name === basename(absolute)) forget(directory);
    events.changed(directory);
  });
  chokidar.onAbsent = unplaced;
  chokidar.on('error', (error) => {
    events.lost({ code: errorCode(error) ?? 'watch-failed', message: errorMessage(error) });
  });

  /** There was no directory any more: whatever stands there by now is listed, and watched then. */
  function unplaced(absolute: string): void {
    const directory = directories.get(absolute);
    if (directory === undefined) return;
    forget(directory);
    events.changed(directory);
  }

  function forget(directory: string): void {
    const known = wanted.get(directory);
    if (known === undefined) return native.forget(directory);
    wanted.delete(directory);
    directories.delete(known.absolute);
    pending.delete(known.absolute);
  }

  /** All at once: chokidar says only of its first paths when they are watched. */
  function place(): void {
    if (pending.size === 0) return;
    if (placed.size === 0) waiting = ready(chokidar);
    for (const absolute of pending) {
      // What was watched under this path before was another directory: its watch goes first.
      if (placed.has(absolute)) chokidar.unwatch(absolute);
      placed.add(absolute);
    }
    chokidar.add([...pending]);
    pending.clear();
  }

  return {
    kind: 'chokidar',
    watch: (asked) => {
      const { directory, absolute, identity } = asked;
      if (absolute.includes('\\')) return native.watch(asked);
      if (wanted.get(directory)?.identity === identity) return true;
      forget(directory);
      wanted.set(directory, asked);
      directories.set(absolute, directory);
      pending.add(absolute);
      return true;
    },
    forget,
    watched: () => [...wanted.values(), ...native.watched()],
    count: () => wanted.size + native.count(),
    armed: async () => {
      place();
      await waiting;
    },
    close: async () => {
      await native.close();
      await chokidar.close();
    },
  };
}

/**
 * chokidar lists a directory and reads the state of each file in it before it sets the watch, and again at each event.
 * The scan does that anyway, so this one lists nothing: starting takes a third of the time (measured).
 */
class DirectoryWatcher extends FSWatcher {
  /** What was to be watched is not there. */
  onAbsent: (absolute: string) => void = () => {};

  override _readdirp(): undefined {
    return undefined;
  }

  override _handleError(error: NodeJS.ErrnoException): Error | boolean {
    const { code, path = '' } = error;
    const fault = readFaultOf(code);
    if (fault === 'gone') this.onAbsent(path);
    if (fault === 'passing') this.emit('error', error);
    return error;
  }
}

function watchedPath(details: unknown): string | null {
  if (typeof details !== 'object' || details === null || !('watchedPath' in details)) return null;
  return typeof details.watchedPath === 'string' ? details.watchedPath : null;
}

function ready(chokidar: FSWatcher): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, readyWithinMs);
    chokidar.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
