import { lstatSync, readdirSync } from 'node:fs';
import type { Stats } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import { directoriesTo, directoryOf, isAtOrBelow, joinPath } from '../../model/document.ts';
import type { Arrival } from '../../model/document.ts';
import { awaitedMs } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { ignoringPattern } from '../rules/ignore-patterns.ts';
import type { PlacedRules } from '../rules/ignore-patterns.ts';
import { unfitIn } from '../walk/directory-state.ts';
import type { DirectoryState, ReadAgain, Tree } from '../walk/directory-state.ts';
import { mountsBelow } from '../walk/root-identity.ts';
import { recentLook } from './recent-look.ts';

/** Some directories are never quiet: a file waits for no longer than so many times the settle time, */
const mostSettleTimes = 10;
/** or than this, where its sidecar is expected. */
const longestMs = 10 * 60_000;
/** What waits is inspected again after this part of its age: a thousand that wait long would keep the processor busy. */
const partOfAge = 0.1;

/**
 * Whether the sidecar of a file, or the document that attaches it, may still be on its way; null: no more. Files are
 * copied and moved one by one, in any order: so it is as long as names come, or new files grow, in its directory, or
 * anywhere below the topmost new one above it. `isExpected`: a sidecar is. Throws where a directory cannot be read.
 */
export function arrivalOf(
  folder: FolderState,
  path: string,
  { stats, isExpected }: { readonly stats: Stats; readonly isExpected: boolean },
): Arrival | null {
  const { observations, settleMs } = folder;
  const hiding = hidingListOf(folder, path);
  if (hiding !== null)
    return {
      ms: Math.max(settleMs, hiding.dueAt - observations.now()),
      isExpected: true,
      message: `it may be an attachment that a sidecar lists: ${hiding.message}`,
    };
  // What may be meant for it is saved, or gets its right name.
  const places = ['', ...directoriesTo(path)];
  const missedMs = Math.max(...places.map((place) => awaitedMs(folder, unfitIn(place))));
  if (missedMs > 0) return { ms: missedMs, isExpected: false };
  const mostMs = isExpected ? Math.max(mostSettleTimes * settleMs, longestMs) : mostSettleTimes * settleMs;
  const ageMs = observations.standsMs(path, stats);
  if (ageMs >= mostMs) return null;
  const quietInMs = unquietMs(folder, path);
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

/** How long it is not quiet around a path, ms; at most 0: it is. */
function unquietMs(folder: FolderState, path: string): number {
  const { tree, observations, growths, root, settleMs } = folder;
  const places = ['', ...directoriesTo(path)];
  const own = directoryOf(path);
  const isNew = (place: string) => observations.now() - (tree.get(place)?.cameAt ?? -Infinity) < longestMs;
  const top = places.find(isNew);
  // A disk that is mounted there brings names without an event.
  const mounted = top === undefined ? [] : mountsBelow(root).filter((place) => isAtOrBelow(place, top));
  const around = top === undefined ? [own] : [...places.slice(places.indexOf(top)), ...mounted];
  const ms = Math.max(
    arrivingMs(folder, own, tree.arrivedAt(own)),
    top === undefined ? 0 : arrivingMs(folder, top, tree.arrivedBelow(top)),
    ...around.map((place) => unsettledMs(folder, place)),
  );
  if (ms > 0 || top === undefined) return ms;
  // A scan may come late, as it rests after another one, or no event ask for it. What cannot be listed by now says nothing.
  const hasNews = (place: string) => {
    const directory = tree.get(place);
    return directory !== undefined && orNull(() => hasGrown(folder, place, directory)) === true;
  };
  const isUnquiet = () => knownBelow(tree, top).some(hasNews);
  return recentLook(growths, `${top}/`, observations.present, isUnquiet) ? settleMs : 0;
}

/** A directory that is known, and all below it. */
function knownBelow(tree: Tree, path: string): readonly string[] {
  const children = [...(tree.get(path)?.children ?? [])];
  return [path, ...children.flatMap((name) => knownBelow(tree, joinPath(path, name)))];
}

/** How long names still come, or new files grow, where that last happened at `arrivedAt`, ms; below `place` only scans tell. */
function arrivingMs(folder: FolderState, place: string, arrivedAt: number): number {
  const { tree, observations, settleMs } = folder;
  const directory = tree.get(place);
  if (directory === undefined) return 0;
  // Without events, only a listing tells that nothing comes any more.
  const isPolled = directory.polled || directory.unwatched;
  const quietMs = (isPolled ? directory.listedAt : observations.now()) - arrivedAt;
  if (quietMs < settleMs) return settleMs - quietMs;
  return hasGrown(folder, place, directory) ? settleMs : 0;
}

/** Whether a directory has grown since it was scanned. */
function hasGrown(folder: FolderState, path: string, { nameCount, rules }: DirectoryState): boolean {
  const { tree, observations, growths, absolute } = folder;
  return recentLook(growths, path, observations.present, () => {
    const place = absolute(tree.rawPath(path));
    const entries = readdirSync(place).map((raw) => ({
      name: raw.normalize('NFC'),
      stats: orNull(() => lstatSync(`${place}/${raw}`, { throwIfNoEntry: false })) ?? null,
    }));
    const isNew = observations.isNewIn(path);
    const isLarger = entries.length > nameCount || hasLateFile(entries, { path, rules, isNew });
    if (isLarger) tree.noteArrival(path, observations.present());
    return isLarger;
  });
}

/**
 * Whether a file that `isNew`, and not ignored, came to a directory of late, by the clock of its file system, which is what
 * the newest of its times shows: an older one that changes may be a log, which does so for ever. Where birth times are not
 * known, any may be new. Few are new, and rules take long.
 */
export function hasLateFile(
  entries: readonly { readonly name: string; readonly stats: Stats | null }[],
  directory: {
    readonly path: string;
    readonly rules: readonly PlacedRules[];
    readonly isNew: (name: string, stats: Stats) => boolean;
  },
): boolean {
  const { path, rules, isNew } = directory;
  const files = entries.flatMap(({ name, stats }) => (stats?.isFile() === true ? [{ name, stats }] : []));
  const newest = files.reduce((latest, { stats }) => Math.max(latest, stats.ctimeMs), -Infinity);
  const isLate = ({ birthtimeMs }: Stats) => birthtimeMs === 0 || newest - birthtimeMs < longestMs;
  const isCounted = (name: string) => ignoringPattern(rules, joinPath(path, name), false) === null;
  return files.some(({ name, stats }) => isNew(name, stats) && isLate(stats) && isCounted(name));
}

function unsettledMs({ tree, observations, absolute }: FolderState, directory: string): number {
  const stats = lstatSync(absolute(tree.rawPath(directory)), { throwIfNoEntry: false });
  return stats?.isDirectory() === true ? observations.settle(directory, stats) : 0;
}
