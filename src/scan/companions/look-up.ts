import { lstatSync, readdirSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, dirname } from 'node:path';

import { errorCode, readFaultOf } from '../../model/errors.ts';

/**
 * What `lstat` says; undefined where nothing stands. A path may be too long to be looked at: then the listing of its
 * directory tells whether there is such a name. Throws all else.
 */
export function lookUp(absolute: string): Stats | undefined {
  try {
    return lstatSync(absolute, { throwIfNoEntry: false });
  } catch (error) {
    const code = errorCode(error);
    if (readFaultOf(code) === 'gone') return undefined;
    if (code !== 'ENAMETOOLONG' || isListed(absolute)) throw error;
    return undefined;
  }
}

function isListed(absolute: string): boolean {
  const wanted = basename(absolute).normalize('NFC');
  return readdirSync(dirname(absolute)).some((name) => name.normalize('NFC') === wanted);
}
