import { lstatSync, statSync } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import { directoriesTo } from '../../model/document.ts';
import type { UnreadableDirectory } from '../../model/ports/folder-port.ts';
import type { FolderState } from '../folder-state.ts';

/** The directories that are known and in which something cannot be read, as they look now. */
export function unreadableDirectories(folder: FolderState): readonly UnreadableDirectory[] {
  const found: UnreadableDirectory[] = [];
  for (const [path, { unreadable, hidesFiles }] of folder.tree.entries())
    if (unreadable !== null || hidesFiles)
      found.push({ path, look: orNull(() => lookOf(folder, path, unreadable === null)) });
  return found;
}

/** Null: directories in it may have changed, which it does not show. Throws what `lstat` throws. */
function lookOf({ absolute, tree }: FolderState, path: string, isListed: boolean): string | null {
  const statsOf = (directory: string) => lstatSync(absolute(tree.rawPath(directory)));
  // The root itself may be a link.
  const { ino, birthtimeMs, mtimeMs, ctimeMs, nlink } = path === '' ? statSync(absolute('')) : statsOf(path);
  // Where the file system counts them, two links are those of a directory without others in it.
  if (!isListed && nlink !== 2) return null;
  const above = directoriesTo(path).map((directory) => {
    const stats = statsOf(directory);
    return `${stats.ino}:${stats.birthtimeMs}`;
  });
  return [...above, `${ino}:${birthtimeMs}:${mtimeMs}:${ctimeMs}`].join('/');
}
