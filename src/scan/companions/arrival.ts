import { lstatSync, readdirSync } from 'node:fs';
import type { Stats } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import { directoriesTo, directoryOf } from '../../model/document.ts';
import type { Arrival } from '../../model/document.ts';
import type { ShareMode } from '../../model/metadata/metadata.ts';
import type { FolderState } from '../folder-state.ts';
import { hasSidecars } from '../walk/directory-state.ts';
import type { DirectoryState, ReadAgain } from '../walk/directory-state.ts';
import { recentLook } from './recent-look.ts';

/** Some directories are never quiet: a file waits for no longer than so many times the settle time, */
const mostSettleTimes = 10;
/** or than this, where its sidecar is expected. */
const longestMs = 10 * 60_000;
/** What waits is inspected again after this part of its age: a thousand that wait long would keep the processor busy. */
const partOfAge = 0.1;

/**
 * Whether the sidecar of a file, or the document that attaches it, may still be on its way; null: no more. Files are
 * copied and moved one by one, in any order: so it is as long as names come to its directory, or to one above it. A
 * sidecar is expected where others are in use, and `mode`, which the document has without it, is not private: then names
 * must not come below its directory either, nor new files grow, because a large one takes longer to come than a file to
 * settle. Throws where a directory cannot be read.
 */
export function arrivalOf(
  folder: FolderState,
  path: string,
  {
    stats,
    mode,
  }: {
    readonly stats: Pick<Stats, 'birthtimeMs' | 'ctimeMs' | 'mtimeMs'>;
    readonly mode: ShareMode;
  },
): Arrival | null {
  const { tree, observations, settleMs } = folder;
  const { now, monotonic } = observations.now();
  const hiding = hidingListOf(folder, path);
  if (hiding !== null)
    return {
      ms: Math.max(settleMs, hiding.dueAt - monotonic),
      isExpected: true,
      message: `it may be an attachment that a sidecar lists: ${hiding.message}`,
    };
  const directory = tree.get(directoryOf(path));
  const isExpected = mode !== 'NONE' && directory !== undefined && areSidecarsInUse(folder, directory);
  const mostMs = isExpected ? Math.max(mostSettleTimes * settleMs, longestMs) : mostSettleTimes * settleMs;
  const places = ['', ...directoriesTo(path)];
  // It may have come with a directory. The clock of a file server may be ahead.
  const ages = places.map((place) => monotonic - (tree.get(place)?.cameAt ?? -Infinity));
  const ageMs = Math.min(Math.abs(now - cameMs(stats)), ...ages);
  if (ageMs >= mostMs) return null;
  const belowMs = isExpected ? arrivingBelowMs(folder, directoryOf(path), directory) : 0;
  const quietInMs = Math.max(belowMs, ...places.map((place) => unsettledMs(folder, place)));
  if (quietInMs <= 0) return null;
  const ms = Math.min(Math.max(quietInMs, ageMs * partOfAge), mostMs - ageMs);
  return { ms: Math.ceil(ms), isExpected };
}

/** What cannot be read at the moment, and may hold a sidecar that lists the file as an attachment; null: nothing. */
function hidingListOf({ tree, settings }: FolderState, path: string): ReadAgain | null {
  for (const [directory, again] of tree.hidingLists())
    if (settings.attachments === 'folder' || directory === '' || path.startsWith(`${directory}/`))
      return again;
  return null;
}

/** How long names still come, or new files grow, in a directory and below it, ms; below it only scans tell. At most 0: no more. */
function arrivingBelowMs(folder: FolderState, path: string, directory: DirectoryState): number {
  const { tree, observations, settleMs } = folder;
  const { polled, unwatched, listedAt } = directory;
  const arrivedAt = tree.arrivedAt(path);
  // Without events, only a listing tells that nothing grows any more.
  if (polled || unwatched) return settleMs - (listedAt - arrivedAt);
  const quietMs = observations.now().monotonic - arrivedAt;
  if (quietMs < settleMs) return settleMs - quietMs;
  // A scan may come late: it rests after another one.
  return hasGrown(folder, path, directory) ? settleMs : 0;
}

/** Whether a directory has grown since it was scanned. */
function hasGrown(folder: FolderState, path: string, { newestMs, nameCount }: DirectoryState): boolean {
  const { tree, observations, growths, settleMs, absolute } = folder;
  const { monotonic: at } = observations.now();
  return recentLook(growths, path, { at, forMs: settleMs / 4 }, () => {
    const place = absolute(tree.rawPath(path));
    const names = readdirSync(place);
    const entries = names.map((name) => {
      const stats = orNull(() => lstatSync(`${place}/${name}`, { throwIfNoEntry: false })) ?? null;
      return { kind: stats?.isFile() === true ? 'file' : 'other', stats };
    });
    const isLarger = names.length > nameCount || newestOf(entries, folder) > newestMs;
    if (isLarger) tree.noteArrival(path, at);
    return isLarger;
  });
}

/** The newest time of files that have come of late, ms since 1970: an older one may be a log, which changes for ever. */
export function newestOf(
  entries: Iterable<{ readonly kind: string; readonly stats: Stats | null }>,
  { observations }: Pick<FolderState, 'observations'>,
): number {
  const { now } = observations.now();
  let newest = -Infinity;
  for (const { kind, stats } of entries) {
    if (kind === 'file' && stats !== null && cameOfLate(stats, now))
      // Whoever writes a file may set its time to the future.
      newest = Math.max(newest, Math.min(stats.mtimeMs, now), stats.ctimeMs);
  }
  return newest;
}

/** When a file came to its path, as far as its times tell: it was renamed, or made there and written since. */
function cameMs({
  birthtimeMs,
  ctimeMs,
  mtimeMs,
}: Pick<Stats, 'birthtimeMs' | 'ctimeMs' | 'mtimeMs'>): number {
  const isWritten = Math.abs(ctimeMs - mtimeMs) < 1_000;
  return isWritten && birthtimeMs !== 0 ? Math.min(birthtimeMs, ctimeMs) : ctimeMs;
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
  const stats = lstatSync(place, { throwIfNoEntry: false });
  return stats?.isDirectory() === true ? observations.settle(directory, stats) : 0;
}
