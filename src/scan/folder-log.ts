import type { LogPort } from '../model/ports/log-port.ts';
import type { FolderSettings } from '../model/settings.ts';
import { raiseWatchLimitCommand } from '../lib/files/inotify.ts';
import type { ScanReport } from './worker/protocol.ts';

/** Logs what changed about a folder, once each. */
export interface FolderLog {
  readonly scanned: (report: ScanReport, back: boolean) => void;
  readonly unavailable: (reason: { readonly code: string; readonly message: string }) => void;
}

export function createFolderLog(
  log: LogPort,
  { name: folder, path }: Pick<FolderSettings, 'name' | 'path'>,
): FolderLog {
  let said = '';
  let unwatchedSaid = false;
  let unreadableSaid = new Set<string>();

  return {
    scanned: (report, back) => {
      const { backend, polled, directories, watches, eventlessFileSystem, unwatched } = report;
      if (back) log.info({ folder }, 'folder available again');
      const how = polled ? 'polling' : (backend ?? 'polling');
      if (how !== said) {
        const data = { folder, path, directories, watches, watcher: backend };
        if (how === 'polling')
          log.info({ folder, path, directories, fileSystem: eventlessFileSystem }, 'polling folder');
        else log.info(data, 'watching folder');
        said = how;
      }
      if (unwatched > 0 && !unwatchedSaid) {
        log.warn(
          { folder, unwatched, directories, fix: raiseWatchLimitCommand(directories) },
          'not enough inotify watches; polling the remaining directories',
        );
      }
      unwatchedSaid = unwatched > 0;
      for (const { path, message } of report.unreadable) {
        if (!unreadableSaid.has(path))
          log.warn({ folder, path, reason: message }, 'directory cannot be read');
      }
      unreadableSaid = new Set(report.unreadable.map(({ path }) => path));
    },
    unavailable: ({ code, message }) => log.warn({ folder, code, reason: message }, 'folder unavailable'),
  };
}
