import type { Stats } from 'node:fs';

import { knownInode } from '../../model/document.ts';
import type { FileStat } from '../../model/document.ts';

/** What `lstat` says of an entry. `inner-link`: it leads to a place inside the folder, and `followSymlinks` is on. */
export type EntryKind = 'file' | 'directory' | 'link' | 'inner-link' | 'other' | 'unreadable';

/** One name in a directory and what `lstat` says of it. */
export interface Entry {
  /** NFC. */
  readonly name: string;
  /** As it stands on disk. */
  readonly raw: string;
  readonly kind: EntryKind;
  /** Null for `unreadable`. */
  readonly stats: Stats | null;
  /** Of `unreadable`: the file system's code. */
  readonly fault?: string | undefined;
}

/** Sorts what `lstat` said into kinds. */
export function kindOf(stats: Stats): Exclude<EntryKind, 'unreadable'> {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

/** What `lstat` said, as the rest of the program knows it. */
export function statOf(stats: Stats): FileStat {
  const { size, mtimeMs, ctimeMs, birthtimeMs, ino, dev } = stats;
  return { size, mtimeMs, ctimeMs, birthtimeMs, ino: knownInode(ino), dev };
}

/** Short text that differs when the file does, as far as one can tell without reading. */
export function statKey({
  size,
  mtimeMs,
  ctimeMs,
  ino,
}: Pick<FileStat, 'size' | 'mtimeMs' | 'ctimeMs' | 'ino'>): string {
  return `${size}:${mtimeMs}:${ctimeMs}:${ino}`;
}

/** The same of a directory entry: its kind where it is no regular file. */
export function entryKey({ kind, stats }: Pick<Entry, 'kind' | 'stats'>): string {
  return kind === 'file' && stats !== null ? statKey(stats) : kind;
}
