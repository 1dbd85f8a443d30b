import { lstatSync, statSync } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import { directoriesTo } from '../../model/document.ts';
import type { UnreadableDirectory } from '../../model/ports/folder-port.ts';
import type { FolderState } from '../folder-state.ts';
import type { DirectoryState } from './directory-state.ts';

/** The directories that are known and in which something cannot be read, as they look now. */
export function unreadableDirectories(folder: FolderState): readonly UnreadableDirectory[] {
  const found: UnreadableDirectory[] = [];
  for (const [path, { unreadable, hidden }] of folder.tree.entries())
    if (unreadable !== null || hidden !== undefined)
      found.push({
        path,
        look: orNull(() => lookOf(folder, path, unreadable === null ? hidden : undefined)),
      });
  return found;
}

/**
 * `hidden`: what it hides; left out: all that is in it. Null: directories in it may have changed, which it does not show, or
 * it hides what may be another name of a file. Throws what `lstat` throws.
 */
function lookOf(
  { absolute, tree }: FolderState,
  path: string,
  hidden: DirectoryState['hidden'],
): string | null {
  const statsOf = (directory: string) => lstatSync(absolute(tree.rawPath(directory)));
  // The root itself may be a link.
  const own = path === '' ? statSync(absolute('')) : statsOf(path);
  const unseen = hidden?.map((place) => lstatSync(place)) ?? [own];
  // Where the file system counts them, two links are those of a directory without others in it.
  if (hidden === undefined ? own.nlink !== 2 : unseen.some((one) => !one.isDirectory())) return null;
  const above = directoriesTo(path).map((directory) => {
    const stats = statsOf(directory);
    return `${stats.ino}:${stats.birthtimeMs}`;
  });
  const looks = [own, ...unseen].map(
    ({ ino, birthtimeMs, mtimeMs, ctimeMs }) => `${ino}:${birthtimeMs}:${mtimeMs}:${ctimeMs}`,
  );
  return [...above, ...looks].join('/');
}
