import { readdirSync } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import { locateOnDisk, unscannedFolder } from '../folder-state.ts';
import { comesBefore } from './list-directory.ts';

/**
 * The path by which everything knows what a person means by `path`, from the root: its NFC form, but for a file beside
 * which another one stands for that form; it is failed under the name that it has on disk.
 */
export function knownPath(root: string, path: string): string {
  const normal = path.normalize('NFC');
  if (path === normal) return normal;
  const [directory, raw, name] = [directoryOf(normal), nameOf(path), nameOf(normal)];
  const names = orNull(() => readdirSync(locateOnDisk(unscannedFolder(root), directory))) ?? [];
  const isTwin =
    names.includes(raw) &&
    names.some(
      (other) => other.normalize('NFC') === name && comesBefore({ raw: other, name }, { raw, name }),
    );
  return isTwin ? joinPath(directory, raw) : normal;
}
