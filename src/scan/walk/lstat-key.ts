import { lstatSync } from 'node:fs';

import { errorCode } from '../../model/errors.ts';
import { kindOf, stampKey } from './entry.ts';
import type { Ground } from '../ground.ts';
import { locateOnDisk } from './locate-on-disk.ts';
import { resolveAttachment } from '../rules/resolve-attachment.ts';

/** The stamp of a file that a sidecar lists; a word where there is no regular file. */
export function lstatKey(ground: Ground, directory: string, text: string): string {
  const place = resolveAttachment(directory, text);
  if (place.kind === 'outside') return 'outside';
  try {
    const stats = lstatSync(locateOnDisk(ground, place.path), { throwIfNoEntry: false });
    if (stats === undefined) return 'missing';
    return stats.isFile() ? stampKey(stats) : kindOf(stats);
  } catch (error) {
    return errorCode(error) ?? 'unreadable';
  }
}
