import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';

import { inspectedPlace, isInspected } from '../open-content.ts';
import type { Wanted } from '../open-content.ts';

/** Reading so much takes about as long as opening it; larger files are read without holding a thread. */
export const smallFileBytes = 256 * 1024;

/** One for all files: they are read one after the other. Made with the first. */
let buffer: Buffer | null = null;

/**
 * SHA-256 of a small file, lower-case hex, opened as `openContent` does and read at once. Null for anything unusual:
 * another file by now, a link on the way, one that cannot be read. Then `openContent` finds out what it is.
 */
export function hashAtOnce(wanted: Wanted): string | null {
  const { absolute, root, stat, followSymlinks } = wanted;
  if (followSymlinks || stat.size > smallFileBytes) return null;
  let file: number | null = null;
  try {
    file = openSync(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!isInspected(fstatSync(file), stat)) return null;
    if (readlinkSync(`/proc/self/fd/${file}`) !== inspectedPlace(wanted, realpathSync.native(root)))
      return null;
    buffer ??= Buffer.allocUnsafeSlow(smallFileBytes);
    const bytes = buffer.subarray(0, stat.size);
    for (let at = 0; at < bytes.length;) {
      const read = readSync(file, bytes, at, bytes.length - at, at);
      if (read === 0) return null;
      at += read;
    }
    const { mtimeMs, size } = fstatSync(file);
    return mtimeMs === stat.mtimeMs && size === stat.size ? hash('sha256', bytes, 'hex') : null;
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}
