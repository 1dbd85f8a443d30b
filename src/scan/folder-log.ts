import type { LogPort } from '../model/ports/log-port.ts';
import type { FolderSettings } from '../model/settings.ts';
import { raiseWatchLimitCommand } from '../lib/watch-limit.ts';
import type { SweepReport } from './worker/protocol.ts';

/** Says in the log what changed about a folder, once each. */
export interface FolderNews {
  readonly swept: (report: SweepReport, back: boolean) => void;
  readonly unavailable: (reason: { readonly code: string; readonly message: string }) => void;
}

export function createFolderNews(
  log: LogPort,
  { name: folder, path }: Pick<FolderSettings, 'name' | 'path'>,
): FolderNews {
  let said = '';
  let unwatchedSaid = false;
  let unreadableSaid = new Set<string>();

  return {
    swept: (report, back) => {
      const { player, polled, directories, watches, silentFileSystem, unwatched } = report;
      if (back) log.info({ folder }, 'the folder is available again');
      const how = polled ? 'polling' : (player ?? 'polling');
      if (how !== said) {
        const data = { folder, path, directories, watches, watcher: player };
        if (how === 'polling')
          log.info({ folder, path, directories, fileSystem: silentFileSystem }, 'polling the folder');
        else log.info(data, 'watching the folder');
        said = how;
      }
      if (unwatched > 0 && !unwatchedSaid) {
        log.warn(
          { folder, unwatched, directories, fix: raiseWatchLimitCommand(directories) },
          'out of watches: polling directories',
        );
      }
      unwatchedSaid = unwatched > 0;
      for (const { path, message } of report.unreadable) {
        if (!unreadableSaid.has(path))
          log.warn({ folder, path, reason: message }, 'a directory cannot be read');
      }
      unreadableSaid = new Set(report.unreadable.map(({ path }) => path));
    },
    unavailable: ({ code, message }) =>
      log.warn({ folder, code, reason: message }, 'the folder is not available'),
  };
}
