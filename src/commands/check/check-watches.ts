import { raiseWatchLimitCommand, readWatchLimit } from '../../lib/files/watch-limit.ts';
import { countWords } from '../../lib/text/words.ts';
import type { CheckFinding } from '../../model/report/reports.ts';

/** Part of the limit beyond which other programs of the same user may run out. */
const comfortableShare = 0.8;

/** Compares the directories to be watched with what the kernel allows one user. Says nothing where it does not tell. */
export function checkWatches(directories: number): readonly CheckFinding[] {
  const limit = readWatchLimit();
  if (directories <= limit * comfortableShare) return [];
  return [
    {
      level: 'warning',
      subject: 'inotify',
      code: 'watch-limit',
      message: `${countWords(directories, 'directory', 'directories')} are to be watched, and the kernel allows ${countWords(limit, 'watch', 'watches')}; folders beyond it are polled`,
      fix: raiseWatchLimitCommand(directories),
    },
  ];
}
