import { lstatSync, statSync } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import { directoriesTo } from '../../model/document.ts';
import type { UnreadableDirectory } from '../../model/ports/folder-port.ts';
import type { FolderState } from '../folder-state.ts';

/** The directories that are known and in which something cannot be read, as they look now. */
export function unreadableDirectories(folder: FolderState): readonly UnreadableDirectory[] {
  const found: UnreadableDirectory[] = [];
  for (const [path, { unreadable, hidesFiles }] of folder.tree.entries())
    if (unreadable !== null || hidesFiles) {
      const mayHoldOthers = unreadable !== null && !isWithoutDirectories(folder, path);
      found.push({ path, look: mayHoldOthers ? null : orNull(() => lookOf(folder, path)) });
    }
  return found;
}

/** What comes into a directory inside changes nothing of it. By its links, where the file system counts them. */
function isWithoutDirectories({ absolute, tree }: FolderState, path: string): boolean {
  return orNull(() => lstatSync(absolute(tree.rawPath(path))).nlink) === 2;
}

/** Throws what `lstat` throws. */
function lookOf({ absolute, tree }: FolderState, path: string): string {
  const statsOf = (directory: string) => lstatSync(absolute(tree.rawPath(directory)));
  const above = directoriesTo(path).map((directory) => {
    const { ino, birthtimeMs } = statsOf(directory);
    return `${ino}:${birthtimeMs}`;
  });
  // The root itself may be a link.
  const { ino, birthtimeMs, mtimeMs, ctimeMs } = path === '' ? statSync(absolute('')) : statsOf(path);
  return [...above, `${ino}:${birthtimeMs}:${mtimeMs}:${ctimeMs}`].join('/');
}
