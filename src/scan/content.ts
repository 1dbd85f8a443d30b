import { createHash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { open, readlink, realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

import { countWords } from '../lib/text/amounts.ts';
import { printable } from '../lib/text/printable.ts';
import { nameOf, sameStat } from '../model/document.ts';
import type { FileStat } from '../model/document.ts';
import {
  ContentChangedError,
  ContentUnreadableError,
  errorCode,
  IngestdError,
  readFaultOf,
} from '../model/errors.ts';
import type { ContentSource } from '../model/ports/folder-port.ts';
import { statOf } from './rules/entry.ts';
import { missingPart } from './rules/missing-part.ts';

/** A file to open: where it stands and what it was when it was inspected. */
export interface Wanted {
  /** Absolute, as on disk. */
  readonly absolute: string;
  /** The root, absolute. */
  readonly root: string;
  readonly stat: FileStat;
}

/**
 * Opens a regular file without following links and without blocking, and makes sure that it is the one of `stat`
 * and lies in the root (F32, F33, F34). Rejects with ContentChangedError when it is not, ContentUnreadableError when
 * it cannot be read.
 */
export async function openContent(wanted: Wanted): Promise<FileHandle> {
  const { absolute, root, stat } = wanted;
  let handle: FileHandle | null = null;
  try {
    handle = await open(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (!isInspected(stats, stat)) {
      throw new ContentChangedError('the file was replaced a moment ago');
    }
    // A directory on the way may have become a link: what was opened has to lie where it was inspected.
    if ((await placeOf(handle, absolute)) !== inspectedPlace(wanted, await realpath(root)))
      throw new ContentChangedError('the file was moved a moment ago');
    return handle;
  } catch (error) {
    await handle?.close();
    throw translated(error, absolute);
  }
}

/** Whether an open file is the regular one that was inspected. */
function isInspected(stats: Stats, inspected: FileStat): boolean {
  const found = statOf(stats);
  return stats.isFile() && sameStat(found, inspected) && found.dev === inspected.dev;
}

/** Where an inspected file lies when no directory on the way has become a link. `realRoot`: the root without links. */
function inspectedPlace({ absolute, root }: Pick<Wanted, 'absolute' | 'root'>, realRoot: string): string {
  const base = realRoot === '/' ? '' : realRoot;
  return `${base}${absolute.slice(root === '/' ? 0 : root.length)}`;
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

/** By what one can do about it. A link or a directory that came in the file's place is another file. */
function translated(error: unknown, absolute: string): unknown {
  const code = errorCode(error);
  if (code === undefined || error instanceof IngestdError) return error;
  if (readFaultOf(code) === 'gone' || code === 'ELOOP' || code === 'EISDIR')
    return new ContentChangedError(`the file is no longer there (${code})`, { cause: error });
  return new ContentUnreadableError(printable(nameOf(absolute)), error);
}

/** Reading so much takes about as long as opening it; larger files are read without holding a thread. */
export const smallFileBytes = 256 * 1024;

/** One for all files: they are read one after the other. Made with the first. */
let smallBuffer: Buffer | null = null;

/**
 * SHA-256 of a small file, lower-case hex, opened as `openContent` does and read at once. Null for anything unusual:
 * another file by now, a link on the way, one that cannot be read. Then `openContent` finds out what it is.
 */
export function hashAtOnce(wanted: Wanted): string | null {
  const { absolute, root, stat } = wanted;
  if (stat.size > smallFileBytes) return null;
  let file: number | null = null;
  try {
    file = openSync(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!isInspected(fstatSync(file), stat)) return null;
    if (readlinkSync(`/proc/self/fd/${file}`) !== inspectedPlace(wanted, realpathSync.native(root)))
      return null;
    smallBuffer ??= Buffer.allocUnsafeSlow(smallFileBytes);
    const bytes = smallBuffer.subarray(0, stat.size);
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

/** Larger reads are no faster, smaller ones cost throughput. */
const chunkBytes = 1024 * 1024;

/** The bytes that an open file had when it was inspected. */
async function* chunksOf(handle: FileHandle, { absolute, stat: { size } }: Wanted): AsyncGenerator<Buffer> {
  let at = 0;
  while (at < size) {
    const chunk = await readChunk(handle, absolute, { at, length: Math.min(chunkBytes, size - at) });
    if (chunk.length === 0)
      throw new ContentChangedError(
        `the file shrank while it was read: ${at} of ${countWords(size, 'byte')}`,
      );
    at += chunk.length;
    yield chunk;
  }
}

/** Opens a file as `openContent` does, as a source of exactly the bytes that it had when it was inspected. */
export async function openSource(wanted: Wanted): Promise<ContentSource> {
  const handle = await openContent(wanted);
  const hasher = createHash('sha256');
  let digest: string | null = null;
  let streamed = false;

  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const chunk of chunksOf(handle, wanted)) {
      hasher.update(chunk);
      yield chunk;
    }
    digest = hasher.digest('hex');
  }

  return {
    size: wanted.stat.size,
    stream: () => {
      if (streamed) throw new ContentChangedError('the content was streamed already');
      streamed = true;
      // One chunk ahead, whatever its size.
      return Readable.from(hashed(), { objectMode: false, highWaterMark: 1 });
    },
    sha256: () => {
      if (digest === null) throw new ContentChangedError('the content was not streamed to its end');
      return digest;
    },
    close: () => handle.close(),
  };
}

/** `missingPart` of an inspected file. Rejects as `openContent` does. */
export async function findMissingPart(wanted: Wanted): Promise<string | null> {
  const { absolute, stat } = wanted;
  const handle = await openContent(wanted);
  try {
    return await missingPart(nameOf(absolute), stat.size, (at, length) =>
      readChunk(handle, absolute, { at, length }),
    );
  } finally {
    await handle.close();
  }
}

async function readChunk(
  handle: FileHandle,
  absolute: string,
  { at, length }: { readonly at: number; readonly length: number },
): Promise<Buffer> {
  try {
    const buffer = Buffer.allocUnsafeSlow(length);
    const { bytesRead } = await handle.read(buffer, 0, length, at);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw translated(error, absolute);
  }
}

/** SHA-256 of a file, lower-case hex; null when it is not the one of `stat`, or no longer when it has been read. */
export async function hashFile(wanted: Wanted): Promise<string | null> {
  try {
    const handle = await openContent(wanted);
    try {
      const hasher = createHash('sha256');
      for await (const chunk of chunksOf(handle, wanted)) hasher.update(chunk);
      const { mtimeMs, size } = await handle.stat();
      return mtimeMs === wanted.stat.mtimeMs && size === wanted.stat.size ? hasher.digest('hex') : null;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof ContentChangedError) return null;
    throw translated(error, wanted.absolute);
  }
}
