import { lstatSync } from 'node:fs';
import type { Stats } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import { directoriesTo, directoryOf } from '../../model/document.ts';
import type { Arrival } from '../../model/document.ts';
import type { ShareMode } from '../../model/metadata/metadata.ts';
import type { FolderState } from '../folder-state.ts';
import { hasSidecars } from '../walk/directory-state.ts';
import type { DirectoryState } from '../walk/directory-state.ts';

/** Some directories are never quiet: a file waits for no longer than so many times the settle time, */
const mostSettleTimes = 10;
/** or than this, where its sidecar is expected. */
const longestMs = 10 * 60_000;
/** Of its age: what has waited long is inspected less often, or a thousand that wait would keep the processor busy. */
const inspectedAfter = 0.1;

/**
 * Whether the sidecar of a file, or the document that attaches it, may still be on its way; null: no more. Files are
 * copied and moved one by one, in any order: so it is as long as names come to its directory, or to one above it. A
 * sidecar is expected where others are in use, and `mode`, which the document has without it, is not private: then the
 * files that came of late must not change either, because a large one takes longer to come than a file to settle.
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
  const mostMs = isExpected ? Math.max(mostSettleTimes * settleMs, longestMs) : mostSettleTimes * settleMs;
  // The clock of a file server may be ahead.
  const ageMs = Math.abs(now - stats.ctimeMs);
  if (ageMs >= mostMs) return null;
  const namesMs = ['', ...directoriesTo(path)].map((place) => unsettledMs(folder, place));
  const contentMs = isExpected ? settleMs - (monotonic - directory.newest.at) : 0;
  const quietInMs = Math.max(contentMs, ...namesMs);
  if (quietInMs <= 0) return null;
  const ms = Math.min(Math.max(quietInMs, ageMs * inspectedAfter), mostMs - ageMs);
  return { ms: Math.ceil(ms), isExpected };
}

/** Whether a file came to where it is within the last ten minutes, as far as is known: it may still be growing. */
export function cameOfLate({ birthtimeMs }: Pick<Stats, 'birthtimeMs'>, now: number): boolean {
  // Where birth times are not known, any may be new.
  return birthtimeMs === 0 || Math.abs(now - birthtimeMs) < longestMs;
}

/** In the directory, or, as long as it is too young to tell, anywhere in the folder. */
function areSidecarsInUse({ tree, observations }: FolderState, directory: DirectoryState): boolean {
  if (hasSidecars(directory)) return true;
  return cameOfLate(directory, observations.now().now) && tree.hasSidecars();
}

function unsettledMs({ tree, observations, absolute }: FolderState, directory: string): number {
  const place = absolute(tree.rawPath(directory));
  const stats = orNull(() => lstatSync(place, { throwIfNoEntry: false }));
  return stats?.isDirectory() === true ? observations.settle(directory, stats) : 0;
}
