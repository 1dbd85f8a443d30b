import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { FolderSettings } from '../../model/settings.ts';
import { eventlessFileSystemAt } from '../../scan/watch/network-file-systems.ts';

/** Says which folder will be looked through on a timer instead of watched, and why; null: it is watched. */
export function checkPolling(
  { name, path, watch }: FolderSettings,
  { pollSeconds, fileSystemAt = eventlessFileSystemAt }: PollingOptions,
): CheckFinding | null {
  const told = (level: CheckFinding['level'], message: string, fix: string): CheckFinding => {
    return { level, subject: name, code: 'polling', message, fix };
  };
  const how =
    pollSeconds === 1
      ? 'it is looked through every second'
      : `it is looked through every ${pollSeconds} seconds`;
  if (watch === 'polling') return told('info', `${how}, as watch: polling says`, '');
  const silent = fileSystemAt(path);
  if (silent === null) return null;
  if (watch === 'native') {
    return told(
      'warning',
      `it is on ${silent}, which does not tell what other machines write, and watch: native does not look for it`,
      'Set watch: auto for the folder, or leave other machines’ changes to timing.rescanMinutes.',
    );
  }
  return told(
    'info',
    `it is on ${silent}, which does not tell what other machines write: ${how}`,
    'Nothing has to be done; timing.pollSeconds makes it quicker or cheaper.',
  );
}

interface PollingOptions {
  readonly pollSeconds: number;
  /** Which file system that does not ring a directory lies on. */
  readonly fileSystemAt?: (path: string) => string | null;
}
