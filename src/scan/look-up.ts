import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, dirname } from 'node:path';

import { errorCode, readFaultOf } from '../model/errors.ts';

/**
 * What `lstat` says; undefined where nothing stands. The listing of its directory decides where a lookup cannot: the path
 * is too long, or the same file is found in other case, as on a file system on which case does not count. Throws all else.
 */
export function lookUp(absolute: string): Stats | undefined {
  try {
    const stats = lstatSync(absolute, { throwIfNoEntry: false });
    return stats === undefined || !isFoundInOtherCase(absolute, stats) || isListed(absolute)
      ? stats
      : undefined;
  } catch (error) {
    const code = errorCode(error);
    if (readFaultOf(code) === 'gone') return undefined;
    if (code !== 'ENAMETOOLONG' || isListed(absolute)) throw error;
    return undefined;
  }
}

function isFoundInOtherCase(absolute: string, { dev, ino }: Stats): boolean {
  const name = basename(absolute);
  const lower = name.toLowerCase();
  const other = name === lower ? name.toUpperCase() : lower;
  if (other === name) return false;
  const stats = lstatSync(`${dirname(absolute)}/${other}`, { throwIfNoEntry: false });
  return stats?.dev === dev && stats.ino === ino;
}

function isListed(absolute: string): boolean {
  const wanted = basename(absolute).normalize('NFC');
  return readdirSync(dirname(absolute)).some((name) => name.normalize('NFC') === wanted);
}

/**
 * What stands there, as opening it says: what a stat by path says may be seconds old where a file system delivers no events.
 * Throws what `open` throws.
 */
export function openedStat(absolute: string, flags: number): Stats {
  const opened = openSync(absolute, constants.O_RDONLY | flags);
  try {
    return fstatSync(opened);
  } finally {
    closeSync(opened);
  }
}
