import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What the processes hold that this user may look into: its own. */
export interface InotifyUse {
  readonly instances: number;
  readonly watches: number;
}

const mostProcesses = 4_000;

/** Counts inotify instances and watches in use; null where the system does not say. Never throws. */
export function readInotifyUse(): InotifyUse | null {
  let instances = 0;
  let watches = 0;
  const processes = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  if (processes.length === 0) return null;
  for (const process of processes.slice(0, mostProcesses)) {
    for (const descriptor of namesIn(`/proc/${process}/fd`)) {
      if (targetOf(`/proc/${process}/fd/${descriptor}`) !== 'anon_inode:inotify') continue;
      instances += 1;
      watches += countWatches(`/proc/${process}/fdinfo/${descriptor}`);
    }
  }
  return { instances, watches };
}

function countWatches(file: string): number {
  try {
    return readFileSync(file, 'latin1')
      .split('\n')
      .filter((line) => line.startsWith('inotify ')).length;
  } catch {
    return 0;
  }
}

/** Of another user's process nothing is listed. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}
