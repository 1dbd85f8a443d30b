import { realpathSync, statSync } from 'node:fs';

import { pathInside } from '../../lib/files/path-inside.ts';
import { directoryOf } from '../../model/document.ts';
import { errorCode, readFaultOf } from '../../model/errors.ts';
import { kindOf } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';

/**
 * Follows a symbolic link to a file or directory inside the folder; gives the entry as it is where nothing is to be
 * followed: the link dangles, turns in a circle, or leads out.
 */
export function followLink(entry: Entry, absolute: string, realRoot: string): Entry {
  try {
    const target = realpathSync(absolute);
    const inside = pathInside(realRoot, target);
    if (inside === null || inside === '') return entry;
    const stats = statSync(target);
    const kind = kindOf(stats);
    if (kind !== 'file' && kind !== 'directory') return entry;
    const linkedFrom = directoryOf(inside).normalize('NFC');
    return { ...entry, kind, stats, linkedFrom };
  } catch (error) {
    const fault = errorCode(error);
    // Where it leads cannot be told at the moment: it may be anything.
    if (readFaultOf(fault) === 'passing' && fault !== 'ELOOP')
      return { ...entry, kind: 'unreadable', stats: null, fault };
    return entry;
  }
}
