import type { FileStat } from './document.ts';

/** The identity of a file on a file system. */
export type FileIdentity = Pick<FileStat, 'ino' | 'birthtimeMs' | 'dev'>;

/**
 * Whether two stats are of one file: the same inode number and the same birth time. A number that was used again shows
 * in its birth time. Where a birth time is 0 it is unknown; then the device has to be the same, which it is within one
 * boot only, as numbers change with mounts.
 */
export function sameFile(a: FileIdentity, b: FileIdentity): boolean {
  if (a.ino === 0 || a.ino !== b.ino) return false;
  if (a.birthtimeMs === 0 || b.birthtimeMs === 0) return a.dev === b.dev;
  return a.birthtimeMs === b.birthtimeMs;
}

/** Whether two stats of a folder's root are of one directory: device and inode number; no birth time is recorded. */
export function sameRoot(
  a: Pick<FileIdentity, 'dev' | 'ino'>,
  b: Pick<FileIdentity, 'dev' | 'ino'>,
): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}
