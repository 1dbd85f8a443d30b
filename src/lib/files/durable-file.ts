import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Ends the names of files that are being written; a crash leaves them. */
export const temporarySuffix = '.tmp';

/**
 * Replaces a file as a whole: when it returns, the new text survives a power cut. The mode holds from the first byte.
 * Without an `owner` it is this process's.
 */
export async function writeDurably(
  path: string,
  text: string,
  mode = 0o600,
  owner: Pick<Stats, 'uid' | 'gid'> | null = null,
): Promise<void> {
  const temporary = `${path}.${randomUUID()}${temporarySuffix}`;
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      if (owner !== null) await handle.chown(owner.uid, owner.gid);
      await handle.chmod(mode);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Makes the names in a directory durable: what was created, renamed or removed in it. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A text file's content; null where there is none. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    // Not read as text: Node would put that together from pieces.
    return (await readFile(path)).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw withPath(error, path);
  }
}

/** An error of the file system that says where: reading a directory as a file, Node names no path. */
export function withPath(error: unknown, path: string): unknown {
  if (typeof error !== 'object' || error === null || 'path' in error) return error;
  return Object.assign(error, { path });
}
