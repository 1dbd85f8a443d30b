import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { open, readlink, realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import { sameStat } from '../model/document.ts';
import type { FileStat } from '../model/document.ts';
import { ContentChangedError, ContentUnreadableError, errorCode } from '../model/errors.ts';
import { statOf } from './walk/entry.ts';

/** A file to open: where it stands and what it was when it was inspected. */
export interface Wanted {
  /** Absolute, as on disk. */
  readonly absolute: string;
  /** The root, absolute. */
  readonly root: string;
  readonly stat: FileStat;
  readonly followSymlinks: boolean;
}

/**
 * Opens a regular file without following links and without blocking, and makes sure that it is the one of `stat`
 * and lies in the root (F32, F33, F34). Rejects with ContentChangedError when it is not, ContentUnreadableError when
 * it cannot be read.
 */
export async function openContent(wanted: Wanted): Promise<FileHandle> {
  const { root, stat } = wanted;
  const handle = await openFile(wanted);
  try {
    const stats = await handle.stat();
    if (!isInspected(stats, stat)) {
      throw new ContentChangedError('the file was replaced a moment ago');
    }
    await checkPlace(handle, wanted, await realpath(root));
    return handle;
  } catch (error) {
    await handle.close();
    throw translated(error);
  }
}

/** Whether an open file is the regular one that was inspected. */
export function isInspected(stats: Stats, inspected: FileStat): boolean {
  const found = statOf(stats);
  return stats.isFile() && sameStat(found, inspected) && found.dev === inspected.dev;
}

/** Where an inspected file lies when no directory on the way has become a link. `realRoot`: the root without links. */
export function inspectedPlace(
  { absolute, root }: Pick<Wanted, 'absolute' | 'root'>,
  realRoot: string,
): string {
  const base = realRoot === '/' ? '' : realRoot;
  return `${base}${absolute.slice(root === '/' ? 0 : root.length)}`;
}

async function openFile({ absolute, followSymlinks }: Wanted): Promise<FileHandle> {
  try {
    const path = followSymlinks ? await realpath(absolute) : absolute;
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw translated(error);
  }
}

/** A directory on the way may have become a link: what was opened has to lie where it was inspected. */
async function checkPlace(handle: FileHandle, wanted: Wanted, realRoot: string): Promise<void> {
  const { absolute, followSymlinks } = wanted;
  const place = await placeOf(handle, absolute);
  const base = realRoot === '/' ? '' : realRoot;
  if (followSymlinks ? place.startsWith(`${base}/`) : place === inspectedPlace(wanted, realRoot)) return;
  throw new ContentChangedError('the file was moved a moment ago');
}

async function placeOf(handle: FileHandle, absolute: string): Promise<string> {
  try {
    return await readlink(`/proc/self/fd/${handle.fd}`);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    // No /proc: the path is resolved once more instead.
    return realpath(absolute);
  }
}

const gone: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENXIO',
  'ENODEV',
  'EISDIR',
  'ESTALE',
]);

/** Nothing is wrong with the file: it is opened again in a moment. */
const scarce: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

function translated(error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined || code === 'content-changed' || code === 'content-unreadable') return error;
  if (gone.has(code))
    return new ContentChangedError(`the file is no longer there (${code})`, { cause: error });
  if (scarce.has(code))
    return new ContentChangedError(`the file cannot be opened (${code})`, { cause: error });
  return new ContentUnreadableError(`the file cannot be read (${code})`, { cause: error });
}
