import { lstatSync, readdirSync } from 'node:fs';

import { directoryOf, nameOf } from '../../model/document.ts';
import type { Ground } from '../ground.ts';

/**
 * The absolute path at which a file stands, whatever Unicode form its name has on disk. Where no sweep has told the
 * form, the directory is read. Never throws: what does not exist stands where its NFC name would.
 */
export function locateOnDisk(ground: Ground, path: string): string {
  const absolute = ground.absolute(ground.tree.rawPath(path));
  if (!/[^\0-\x7f]/.test(path) || exists(absolute)) return absolute;
  const directory =
    path === '' ? absolute : directoryOf(path) === '' ? ground.root : locateOnDisk(ground, directoryOf(path));
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
