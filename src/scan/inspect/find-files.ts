import { lstatSync, statSync } from 'node:fs';

import { groupBy } from '../../lib/group-by.ts';
import { orNull } from '../../lib/or-null.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { isPerhapsSame, joinPath, sameDirectory } from '../../model/document.ts';
import type { FileStat } from '../../model/document.ts';
import { errorCode, readFaultOf } from '../../model/errors.ts';
import type { FoundFile, FoundFiles, UnreadableDirectory } from '../../model/ports/folder-port.ts';
import type { FolderState } from '../folder-state.ts';
import { statOf } from '../rules/entry.ts';
import { listDirectory } from '../walk/list-directory.ts';
import { unreadableDirectories } from '../walk/unreadable-directories.ts';
import { placeBelow, readRoot, realRoot } from '../walk/root-identity.ts';

/**
 * Finds files by what they are known by, whatever rules say of them: lists the directories once more whose listings showed
 * them. What lies in a directory that is not listed (ignored as a whole, a trash, a snapshot) is elsewhere. An event may
 * be lost: so every directory is looked at, and those that have changed are named. Null: the root cannot be read, or
 * became another one meanwhile.
 */
export async function findFiles(
  folder: FolderState,
  { files: wanted, since }: { readonly files: readonly FileStat[]; readonly since: number },
): Promise<FoundFiles | null> {
  const { root, tree, observations } = folder;
  const before = readRoot(root);
  if (before.kind === 'unavailable') return null;
  const real = realRoot(root);
  const slice = createTimeSlice(32);
  const byInode = groupBy(wanted, ({ ino }) => ino);
  const files: FoundFile[] = [];
  const unreadable: UnreadableDirectory[] = [];
  for (const path of observations.directoriesOf(wanted)) {
    if (!isListed(folder, path)) continue;
    const place = placeBelow(real, tree.rawPath(path));
    try {
      const { entries, twins, bytes } = await listDirectory(place, slice);
      const undecoded = bytes.map((entry) => ({ ...entry, name: entry.name.toString() }));
      for (const entry of [...entries, ...twins, ...undecoded]) {
        const { name, kind, stats } = entry;
        if (kind !== 'file' || stats === null) continue;
        const stat = statOf(stats);
        if (byInode.get(stat.ino)?.some((one) => isPerhapsSame(one, stat)) !== true) continue;
        const isNamed = entries.some((one) => one === entry);
        files.push({ path: joinPath(path, name), stat, isNamed });
      }
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      // It stood there.
      if (readFaultOf(code) !== 'gone') unreadable.push({ path, look: null });
    }
  }
  unreadable.push(...unreadableDirectories(folder));
  const unlisted = unlistedDirectories(folder, since);
  const after = readRoot(root);
  if (after.kind === 'unavailable' || !sameDirectory(before.identity, after.identity)) return null;
  return { files, unreadable, ...unlisted };
}

/** Directories that changed and were not listed since a moment, monotonic ms; and those with some that never were. */
function unlistedDirectories(
  folder: FolderState,
  since: number,
): Pick<FoundFiles, 'changed' | 'listedUntil'> {
  const { absolute, tree, observations, unchanged } = folder;
  // What went before all of them were looked at is in their listings, if it is anywhere: hundreds go together.
  if (since <= unchanged.at) return { changed: [], listedUntil: Infinity };
  const isChanged = (path: string) => {
    const place = absolute(tree.rawPath(path));
    // The root itself may be a link.
    const stats = orNull(() => (path === '' ? statSync(place) : lstatSync(place)));
    return stats === null || !observations.isAsListed(path, stats);
  };
  let areAllUnchanged = true;
  const changed: string[] = [];
  let listedUntil = Infinity;
  for (const [path, { unreadable, attachmentDirectories, children, listedAt }] of tree.entries()) {
    if (unreadable !== null) continue;
    // What it has just shown is still to be listed itself.
    const isBegun = [...children].some((name) => !tree.has(joinPath(path, name)));
    if (!isBegun && ![path, ...attachmentDirectories].some(isChanged)) continue;
    areAllUnchanged = false;
    const until = isBegun ? -Infinity : listedAt;
    if (until >= since) continue;
    changed.push(path);
    listedUntil = Math.min(listedUntil, until);
  }
  if (areAllUnchanged) unchanged.at = observations.now();
  return { changed, listedUntil };
}

/** Whether a directory is one that scans list, for its documents or for the attachments of one above it. */
export function isListed({ tree }: Pick<FolderState, 'tree'>, path: string): boolean {
  return tree.has(path) || tree.get(tree.nearest(path))?.attachmentDirectories.includes(path) === true;
}
