import type { FolderHealth } from '../model/ports/folder-port.ts';
import { printable } from '../lib/text/printable.ts';
import { raiseWatchLimitCommand } from '../lib/files/inotify.ts';
import { countWords } from '../lib/text/words.ts';
import type { ScanReport } from './worker/protocol.ts';

/** Why a folder is not available; null: it is. */
export type Trouble = { readonly code: string; readonly message: string } | null;

/** So many unreadable directories are named one by one. */
const named = 10;

/** Puts together how a folder is doing. */
export function folderHealth({
  trouble,
  report,
  busy,
  coveredUntil,
}: {
  readonly trouble: Trouble;
  /** Null: it was not scanned yet. */
  readonly report: ScanReport | null;
  readonly busy: boolean;
  readonly coveredUntil: number;
}): FolderHealth {
  const work = { busy, coveredUntil };
  if (trouble !== null) return { state: 'unavailable', watches: 0, attached: 0, reasons: [trouble], ...work };
  if (report === null) return { state: 'scanning', watches: 0, attached: 0, reasons: [], ...work };
  const state = report.polled ? 'polling' : 'watching';
  const { watches, attached } = report;
  return { state, watches, attached, reasons: reasonsOf(report), ...work };
}

function reasonsOf({
  unreadable,
  unreadableTotal,
  unwatched,
  directories,
}: ScanReport): FolderHealth['reasons'] {
  const reasons = unreadable.slice(0, named).map(({ path, message }) => ({
    code: 'unreadable-directory',
    message: `${printable(path)}: ${message}; nothing below it is deleted in the meantime`,
  }));
  const more = unreadableTotal - reasons.length;
  if (more > 0)
    reasons.push({
      code: 'unreadable-directory',
      message: `and ${countWords(more, 'more directory', 'more directories')} cannot be read`,
    });
  if (unwatched > 0) {
    const message = `${unwatched} of ${countWords(directories, 'directory', 'directories')} ${unwatched === 1 ? 'is' : 'are'} polled, because the limit of inotify watches is reached; raise it with: ${raiseWatchLimitCommand(directories)}`;
    reasons.push({ code: 'watch-limit', message });
  }
  return reasons;
}
