import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { FolderSettings } from '../../model/settings.ts';
import { numberWords } from '../../lib/text/words.ts';
import { eventlessFileSystemAt } from '../../scan/watch/network-file-systems.ts';

/** Says which folder will be looked through on a timer instead of watched, and why; null: it is watched. */
export function checkPolling(
  { name, path, watch }: FolderSettings,
  { pollSeconds, fileSystemAt = eventlessFileSystemAt }: PollingOptions,
): CheckFinding | null {
  const finding = (level: CheckFinding['level'], message: string, fix: string): CheckFinding => {
    return { level, subject: name, code: 'polling', message, fix };
  };
  const how =
    pollSeconds === 1
      ? 'it is scanned every second'
      : `it is scanned every ${numberWords(pollSeconds)} seconds`;
  if (watch === 'polling') return finding('info', `${how}, because watch is set to polling`, '');
  const silent = fileSystemAt(path);
  if (silent === null) return null;
  if (watch === 'native') {
    return finding(
      'warning',
      `it is on ${silent}, which does not report changes made on other machines, and watch is set to native`,
      'Set watch: auto for the folder. Otherwise such changes are found only every timing.rescanMinutes.',
    );
  }
  return finding(
    'info',
    `it is on ${silent}, which does not report changes made on other machines, so ${how}`,
    'Nothing to do. To change the interval, set timing.pollSeconds.',
  );
}

interface PollingOptions {
  readonly pollSeconds: number;
  /** The file system without events on which a directory lies. */
  readonly fileSystemAt?: (path: string) => string | null;
}
