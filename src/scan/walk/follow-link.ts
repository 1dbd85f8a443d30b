import { realpathSync, statSync } from 'node:fs';

import { directoryOf } from '../../model/document.ts';
import { kindOf } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';

/**
 * Follows a symbolic link to a file or directory inside the folder; gives the entry as it is where nothing is to be
 * followed: the link dangles, turns in a circle, or leads out.
 */
export function followLink(entry: Entry, absolute: string, realRoot: string): Entry {
  try {
    const target = realpathSync(absolute);
    if (!target.startsWith(`${realRoot}/`)) return entry;
    const stats = statSync(target);
    const kind = kindOf(stats);
    if (kind !== 'file' && kind !== 'directory') return entry;
    const linkedFrom = directoryOf(target.slice(realRoot.length + 1)).normalize('NFC');
    return { ...entry, kind, stats, linkedFrom };
  } catch {
    return entry;
  }
}
