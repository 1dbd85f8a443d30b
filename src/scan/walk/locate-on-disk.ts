import { lstatSync, readdirSync } from 'node:fs';

import { directoryOf, nameOf } from '../../model/document.ts';
import type { FolderState } from '../folder-state.ts';

/**
 * The absolute path at which a file stands, whatever Unicode form its name has on disk. Where no scan has told the
 * form, the directory is read. Never throws: what does not exist stands where its NFC name would.
 */
export function locateOnDisk(folder: FolderState, path: string): string {
  const absolute = folder.absolute(folder.tree.rawPath(path));
  if (!/[^\0-\x7f]/.test(path) || exists(absolute)) return absolute;
  const directory = directoryOf(path) === '' ? folder.root : locateOnDisk(folder, directoryOf(path));
  try {
    const raw = readdirSync(directory).find((name) => name.normalize('NFC') === nameOf(path));
    return raw === undefined ? absolute : `${directory}/${raw}`;
  } catch {
    return absolute;
  }
}

function exists(absolute: string): boolean {
  try {
    return lstatSync(absolute, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
