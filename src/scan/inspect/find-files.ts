import { constants, lstatSync, statSync } from 'node:fs';

import { groupBy } from '../../lib/group-by.ts';
import { orNull } from '../../lib/or-null.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { isPerhapsSame, joinPath, sameDirectory } from '../../model/document.ts';
import type { FileStat } from '../../model/document.ts';
import { errorCode, readFaultOf } from '../../model/errors.ts';
import type { FoundFile, FoundFiles, UnreadableDirectory } from '../../model/ports/folder-port.ts';
import type { FolderState } from '../folder-state.ts';
import { openedStat } from '../look-up.ts';
import { classifyByName } from '../rules/classify-by-name.ts';
import { statOf } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';
import { keyOf } from '../rules/settle.ts';
import { allOf, listDirectory } from '../walk/list-directory.ts';
import { unreadableDirectories } from '../walk/unreadable-directories.ts';
import { placeBelow, readRoot, realRoot } from '../walk/root-identity.ts';

/** Of a directory that changes all the time no listing is the last. */
const mostRounds = 5;

/**
 * Finds files by what they are known by, whatever rules say of them, in the directories whose listings showed them, and in
 * all that have changed since they were listed: an event may be lost, or be late, and some folders have none. What lies in
 * a directory that is not listed (ignored as a whole, a trash, a snapshot) is elsewhere. Null: the root cannot be read, or
 * became another one meanwhile. Of no files: what the directories look like.
 */
export async function findFiles(
  folder: FolderState,
  wanted: readonly FileStat[],
): Promise<FoundFiles | null> {
  const { root, tree, observations, scanned } = folder;
  const before = readRoot(root);
  if (before.kind === 'unavailable') return null;
  // Nothing was listed under this root yet, or not all of it: nothing is missing from it.
  if (scanned.root === null) return { files: [], unreadable: [], unlisted: [''], look: null };
  const real = realRoot(root);
  const slice = createTimeSlice(32);
  const byInode = groupBy(wanted, ({ ino }) => ino);
  const files = new Map<string, readonly FoundFile[]>();
  const unreadable: UnreadableDirectory[] = [];
  // Of another root than the one that was listed, everything has to be listed first.
  const unlisted = sameDirectory(scanned.root, before.identity) ? [] : [''];
  const looks = new Map<string, number>();
  let places: readonly string[] = observations.directoriesOf(wanted).filter((path) => isListed(folder, path));
  for (let round = 0; round < mostRounds; round += 1) {
    for (const path of places) {
      const here: FoundFile[] = [];
      files.set(path, here);
      try {
        const place = placeBelow(real, tree.rawPath(path));
        const listing = await listDirectory(place, slice);
        const { entries } = listing;
        if (entries.some((entry) => isStillToBeListed(folder, path, entry))) unlisted.push(path);
        for (const entry of allOf(listing)) {
          const { name, kind, stats } = entry;
          if (stats === null) unreadable.push({ path, look: null });
          if (kind !== 'file' || stats === null) continue;
          const stat = statOf(stats);
          if (byInode.get(stat.ino)?.some((one) => isPerhapsSame(one, stat)) !== true) continue;
          const isNamed = entries.some((one) => one === entry);
          here.push({ path: joinPath(path, name), stat, isNamed });
        }
      } catch (error) {
        const code = errorCode(error);
        if (code === undefined) throw error;
        // It stood there.
        if (readFaultOf(code) !== 'gone') unreadable.push({ path, look: null });
      }
    }
    places = changedDirectories(folder, looks);
    if (places.length === 0 || wanted.length === 0) break;
  }
  unreadable.push(...unreadableDirectories(folder));
  const after = readRoot(root);
  if (after.kind === 'unavailable' || !sameDirectory(before.identity, after.identity)) return null;
  let look = 0;
  for (const [path, key] of looks) look = keyOf(path, { ino: key, size: look, mtimeMs: 0, ctimeMs: 0 });
  return { files: [...files.values()].flat(), unreadable, unlisted, look };
}

/**
 * Directories that have changed since they were listed or looked at last, and those with some that never were listed.
 * `looks`: what all of them look like, from now on.
 */
function changedDirectories(
  { absolute, tree, observations }: FolderState,
  looks: Map<string, number>,
): readonly string[] {
  const isToBeListed = (path: string, isBegun: boolean, isPolled: boolean) => {
    const place = absolute(tree.rawPath(path));
    // The root itself may be a link.
    const [statOfPath, noLink] = path === '' ? [statSync, 0] : [lstatSync, constants.O_NOFOLLOW];
    const opened = () => openedStat(place, constants.O_DIRECTORY | noLink);
    const stats = orNull(() => (isPolled ? opened() : statOfPath(place)));
    const before = looks.get(path);
    const look = stats === null ? 0 : keyOf(path, stats);
    looks.set(path, look);
    if (before !== undefined) return before !== look;
    return isBegun || stats === null || !observations.isAsListed(path, stats);
  };
  return [...tree.entries()].flatMap(([path, { unreadable, attachmentDirectories, children, polled }]) => {
    if (unreadable !== null) return [];
    const isBegun = [...children].some((name) => !tree.has(joinPath(path, name)));
    return [path, ...attachmentDirectories].filter((one) =>
      isToBeListed(one, isBegun && one === path, polled),
    );
  });
}

/** Whether an entry is a directory that the next scan will list first: below one that cannot be read none will be. */
function isStillToBeListed(folder: FolderState, directory: string, { name, kind }: Entry): boolean {
  const path = joinPath(directory, name);
  if (kind !== 'directory' || isListed(folder, path) || folder.tree.get(directory)?.unreadable) return false;
  const found = classifyByName(folder, path, { kind });
  return found.kind === 'directory' || found.kind === 'attachments-directory';
}

/** Whether a directory is one that scans list, for its documents or for the attachments of one above it. */
export function isListed({ tree }: Pick<FolderState, 'tree'>, path: string): boolean {
  return tree.has(path) || tree.get(tree.nearest(path))?.attachmentDirectories.includes(path) === true;
}
