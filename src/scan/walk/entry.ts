import type { Stats } from 'node:fs';

import type { FileStamp } from '../../model/document.ts';

/** One name in a directory and what `lstat` says of it. */
export interface Entry {
  /** NFC. */
  readonly name: string;
  /** As it stands on disk. */
  readonly raw: string;
  readonly kind: EntryKind;
  /** Null for `unreadable`. Of a followed link: what `stat` says of its target. */
  readonly stats: Stats | null;
  /** Directory of a followed link's target, NFC, from the root; null: no followed link. */
  readonly linkedFrom: string | null;
}

/** `other`: FIFO, socket, device. `unreadable`: it is there and `lstat` fails. */
export type EntryKind = 'file' | 'directory' | 'link' | 'other' | 'unreadable';

/** Sorts what `lstat` said into kinds. */
export function kindOf(stats: Stats): Exclude<EntryKind, 'unreadable'> {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

/** What `lstat` said, as the other rooms know it. */
export function stampOf(stats: Stats): FileStamp {
  const { size, mtimeMs, ctimeMs, birthtimeMs, ino, dev } = stats;
  return { size, mtimeMs, ctimeMs, birthtimeMs, ino, dev };
}

/** Short text that differs when the file does, as far as one can tell without reading. */
export function stampKey({
  size,
  mtimeMs,
  ctimeMs,
  ino,
}: Pick<FileStamp, 'size' | 'mtimeMs' | 'ctimeMs' | 'ino'>): string {
  return `${size}:${mtimeMs}:${ctimeMs}:${ino}`;
}
