import { readFile } from 'node:fs/promises';
import type { CheckFinding } from '../../model/report/reports.ts';
import { countWords } from '../../lib/words.ts';

const LIMIT_FILE = '/proc/sys/fs/inotify/max_user_watches';

/** Part of the limit beyond which other programs of the same user may run out. */
const COMFORT = 0.8;

/** Compares the directories to be watched with what the kernel allows one user. Says nothing where it does not tell. */
export async function checkWatches(directories: number): Promise<CheckFinding[]> {
  const limit = await readLimit();
  if (limit === null || directories <= limit * COMFORT) return [];
  const wanted = 2 ** Math.ceil(Math.log2(directories * 2));
  return [
    {
      level: 'warning',
      subject: 'inotify',
      code: 'watch-limit',
      message: `${countWords(directories, 'directory', 'directories')} are to be watched, and the kernel allows ${countWords(limit, 'watch', 'watches')}; folders beyond it are polled`,
      fix: `sudo sysctl fs.inotify.max_user_watches=${wanted}`,
    },
  ];
}

async function readLimit(): Promise<number | null> {
  try {
    const limit = Number(await readFile(LIMIT_FILE, 'utf8'));
    return Number.isInteger(limit) && limit > 0 ? limit : null;
  } catch {
    return null;
  }
}
