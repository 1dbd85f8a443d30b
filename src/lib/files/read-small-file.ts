import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Sidecars and the like are capped before they are read (F52). */
export const maxSmallFileBytes = 256 * 1024;

/**
 * Reads a regular file of at most `maxSmallFileBytes`, without following a link and without blocking: its bytes, and
 * what it looked like while they were read. Null when it is larger or no regular file; throws what `open` and `read`
 * throw (ELOOP for a link).
 */
export function readSmallFile(absolute: string) {
  const handle = openSync(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile() || stats.size > maxSmallFileBytes) return null;
    // One byte more than it had: a file that grew meanwhile shows itself.
    const bytes = Buffer.allocUnsafe(stats.size + 1);
    let length = 0;
    for (;;) {
      const read = readSync(handle, bytes, length, bytes.length - length, null);
      length += read;
      if (read === 0 || length === bytes.length) break;
    }
    return { bytes: bytes.subarray(0, length), stats };
  } finally {
    closeSync(handle);
  }
}
