import { readFileSync } from 'node:fs';
import { orNull } from '../or-null.ts';

/** The machine's limits, and those of the user namespace this process is in. */
const limitFiles = ['/proc/sys/fs/inotify/max_user_watches', '/proc/sys/user/max_inotify_watches'];
const instanceFiles = ['/proc/sys/fs/inotify/max_user_instances', '/proc/sys/user/max_inotify_instances'];

/** How many inotify watches a user may hold here; Infinity where the system does not say. */
export function readWatchLimit(): number {
  return Math.min(...limitFiles.map(numberIn));
}

/** How many watchers, each with its watches, a user may have; Infinity where the system does not say. */
export function readInstanceLimit(): number {
  return Math.min(...instanceFiles.map(numberIn));
}

/** How many events the kernel keeps for one watcher before it drops some; its default where the system does not say. */
export function readEventQueueLength(): number {
  const length = numberIn('/proc/sys/fs/inotify/max_queued_events');
  return Number.isFinite(length) ? length : 16_384;
}

/** The command that raises the limit, with room for twice as many directories as are to be watched. */
export function raiseWatchLimitCommand(directories: number): string {
  const watches = Math.max(524_288, 2 ** Math.ceil(Math.log2(directories * 2)));
  return `sysctl -w fs.inotify.max_user_watches=${watches} fs.inotify.max_user_instances=512`;
}

function numberIn(path: string): number {
  const number = Number(orNull(() => readFileSync(path, 'utf8')));
  return Number.isInteger(number) && number > 0 ? number : Infinity;
}
