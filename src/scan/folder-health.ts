import { raiseWatchLimitCommand } from '../lib/files/inotify.ts';
import { countWords } from '../lib/text/amounts.ts';
import { wallTimeOf } from '../lib/time/clock.ts';
import type { Clock } from '../lib/time/clock.ts';
import { unreadableDirectoryCode, unreadableDirectoryNowCode, unreadableNowCode } from '../model/errors.ts';
import type { FolderHealth } from '../model/ports/folder-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { Reason } from '../model/report/status.ts';
import type { FolderSettings } from '../model/settings.ts';
import type { ScanReport, UnreadPlace } from './walk/scan-request.ts';

/** Why a folder is not available; null: it is. */
export type FolderTrouble = { readonly code: string; readonly message: string } | null;

/** Puts together how a folder is doing. */
export function folderHealth({
  trouble,
  report,
  clock,
  ...work
}: Pick<FolderHealth, 'busy' | 'coveredUntil'> & {
  readonly trouble: FolderTrouble;
  /** Null: it was not scanned yet. */
  readonly report: ScanReport | null;
  readonly clock: Clock;
}): FolderHealth {
  if (trouble !== null) return { state: 'unavailable', watches: 0, attached: 0, reasons: [trouble], ...work };
  if (report === null) return { state: 'scanning', watches: 0, attached: 0, reasons: [], ...work };
  const state = isPolled(report) ? 'polling' : 'watching';
  const { watches, attached } = report;
  return { state, watches, attached, reasons: reasonsOf(report, clock), ...work };
}

/** Whether no directory is watched: none reports events, or there are no watches. */
function isPolled({ polled, unwatched, directories }: ScanReport): boolean {
  return polled || (directories > 0 && unwatched === directories);
}

function reasonsOf(
  { unreadable, unreadableTotal, unwatched, directories }: ScanReport,
  clock: Clock,
): FolderHealth['reasons'] {
  const reasons: Reason[] = unreadable.map((place) => reasonOf(place, clock));
  const more = unreadableTotal - reasons.length;
  if (more > 0)
    reasons.push({
      code: unreadableDirectoryCode,
      message: `${countWords(more, 'more directory', 'more directories')} cannot be read`,
    });
  if (unwatched > 0) {
    const message = `${unwatched} of ${countWords(directories, 'directory', 'directories')} ${unwatched === 1 ? 'is' : 'are'} polled, because the limit of inotify watches is reached; raise it with: ${raiseWatchLimitCommand(directories)}`;
    reasons.push({ code: 'watch-limit', message });
  }
  return reasons;
}

function reasonOf({ path, message, isListed, againAt, code: known }: UnreadPlace, clock: Clock): Reason {
  const where = {
    ...(path === '' ? {} : { path }),
    ...(againAt === null ? {} : { until: wallTimeOf(againAt, clock) }),
  };
  if (isListed) return { code: unreadableNowCode, message, ...where };
  const code = known ?? (againAt === null ? unreadableDirectoryCode : unreadableDirectoryNowCode);
  return { code, message: `${message}; nothing below it is deleted in the meantime`, ...where };
}

/** Logs how a folder is watched, once, and again when that changes. What is wrong with it the timeline says. */
export function createFolderLog(
  log: LogPort,
  { name: folder, path }: Pick<FolderSettings, 'name' | 'path'>,
): (report: ScanReport) => void {
  let said = '';
  return (report) => {
    const { backend, directories, watches, eventlessFileSystem } = report;
    const how = isPolled(report) ? 'polling' : (backend ?? 'polling');
    if (how === said) return;
    const data = { folder, path, directories, watches, watcher: backend };
    if (how === 'polling')
      log.info({ folder, path, directories, fileSystem: eventlessFileSystem }, 'polling folder');
    else log.info(data, 'watching folder');
    said = how;
  };
}
