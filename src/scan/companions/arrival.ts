import { lstatSync } from 'node:fs';
import type { Stats } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import { directoriesTo, directoryOf } from '../../model/document.ts';
import type { Arrival } from '../../model/document.ts';
import type { ShareMode } from '../../model/metadata/metadata.ts';
import type { FolderState } from '../folder-state.ts';
import type { DirectoryState } from '../walk/directory-state.ts';

/** Some directories are never quiet: a file waits for no longer than so many times the settle time, */
const mostSettleTimes = 10;
/** or than this, where its sidecar is expected. */
const longestMs = 10 * 60_000;

/**
 * Whether the sidecar of a file, or the document that attaches it, may still be on its way; null: no more. Files are
 * copied and moved one by one, in any order: so it is as long as names come to its directory, or to one above it. A
 * sidecar is expected where others are in use, and `mode`, which the document has without it, is not private: then what
 * is in the directory must not change either, because a large file takes longer to come than a file to settle.
 */
export function arrivalOf(
  folder: FolderState,
  path: string,
  { stats, mode }: { readonly stats: Pick<Stats, 'ctimeMs'>; readonly mode: ShareMode },
): Arrival | null {
  const { tree, observations, settleMs } = folder;
  const { now, monotonic } = observations.now();
  const directory = tree.get(directoryOf(path));
  const isExpected = mode !== 'NONE' && directory !== undefined && areSidecarsInUse(folder, directory);
  const mostMs = mostSettleTimes * settleMs;
  // The clock of a file server may be ahead.
  if (Math.abs(now - stats.ctimeMs) >= (isExpected ? Math.max(mostMs, longestMs) : mostMs)) return null;
  const namesMs = ['', ...directoriesTo(path)].map((place) => unsettledMs(folder, place));
  const contentMs = isExpected ? settleMs - (monotonic - directory.changedAt) : 0;
  const ms = Math.ceil(Math.max(contentMs, ...namesMs));
  return ms > 0 ? { ms, isExpected } : null;
}

/** In the directory, or, as long as it is too young to tell, anywhere in the folder. */
function areSidecarsInUse({ tree, observations }: FolderState, directory: DirectoryState): boolean {
  if (hasSidecars(directory)) return true;
  // Where birth times are not known, any directory may be a new one.
  const { birthtimeMs } = directory;
  if (birthtimeMs !== 0 && Math.abs(observations.now().now - birthtimeMs) >= longestMs) return false;
  for (const [, other] of tree.entries()) if (hasSidecars(other)) return true;
  return false;
}

function hasSidecars({ lists }: DirectoryState): boolean {
  return lists !== null && lists.size > 0;
}

function unsettledMs({ tree, observations, absolute }: FolderState, directory: string): number {
  const place = absolute(tree.rawPath(directory));
  const stats = orNull(() => lstatSync(place, { throwIfNoEntry: false }));
  return stats?.isDirectory() === true ? observations.settle(directory, stats) : 0;
}
