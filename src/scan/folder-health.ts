import type { FolderHealth } from '../model/ports/folder-port.ts';
import { printable } from '../lib/printable.ts';
import { countWords } from '../lib/words.ts';
import type { SweepReport } from './worker/protocol.ts';

/** Why a folder is not available; null: it is. */
export type Trouble = { readonly code: string; readonly message: string } | null;

/** So many unreadable directories are named one by one. */
const named = 10;

/** Puts together how a folder is doing. */
export function folderHealth({
  trouble,
  report,
  busy,
}: {
  readonly trouble: Trouble;
  /** Null: it was not swept yet. */
  readonly report: SweepReport | null;
  readonly busy: boolean;
}): FolderHealth {
  if (trouble !== null) return { state: 'unavailable', watches: 0, attached: 0, reasons: [trouble], busy };
  if (report === null) return { state: 'scanning', watches: 0, attached: 0, reasons: [], busy };
  const state = report.polled ? 'polling' : 'watching';
  const { watches, attached } = report;
  return { state, watches, attached, reasons: reasonsOf(report), busy };
}

/** The line that fixes a want of watches, with room for twice what this folder needs. */
export function sysctlLine(directories: number): string {
  const wanted = Math.max(524_288, 2 ** Math.ceil(Math.log2(directories * 2)));
  return `sysctl -w fs.inotify.max_user_watches=${wanted} fs.inotify.max_user_instances=512`;
}

function reasonsOf({
  unreadable,
  unreadableTotal,
  unwatched,
  directories,
}: SweepReport): FolderHealth['reasons'] {
  const reasons = unreadable.slice(0, named).map(({ path, message }) => ({
    code: 'unreadable-directory',
    message: `${printable(path)}: ${message}; nothing below it is deleted meanwhile`,
  }));
  const more = unreadableTotal - reasons.length;
  if (more > 0)
    reasons.push({
      code: 'unreadable-directory',
      message: `and ${countWords(more, 'more directory', 'more directories')} cannot be read`,
    });
  if (unwatched > 0) {
    const message = `${unwatched} of ${countWords(directories, 'directory', 'directories')} ${unwatched === 1 ? 'is' : 'are'} polled, for want of watches: ${sysctlLine(directories)}`;
    reasons.push({ code: 'watch-limit', message });
  }
  return reasons;
}
