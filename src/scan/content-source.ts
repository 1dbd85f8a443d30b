import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

import { ContentChangedError, ContentUnreadableError, errorCode } from '../model/errors.ts';
import type { ContentSource } from '../model/ports/folder-port.ts';
import { countWords } from '../lib/text/amounts.ts';

/** Larger reads are no faster, smaller ones cost throughput. */
const chunkBytes = 1024 * 1024;

/** Of files that were hashed: a new buffer for each would pile up until the next collection of garbage. */
const spareBuffers: Buffer[] = [];
const mostSpareBuffers = 4;

/** Makes an open file a source of exactly `size` bytes. The handle stays open until the source is closed. */
export function createContentSource(handle: FileHandle, size: number): ContentSource {
  const hash = createHash('sha256');
  let digest: string | null = null;
  let streamed = false;

  async function* chunks(): AsyncGenerator<Buffer> {
    let at = 0;
    while (at < size) {
      const chunk = await readChunk(handle, at, Math.min(chunkBytes, size - at));
      if (chunk.length === 0)
        throw new ContentChangedError(
          `the file shrank while it was read: ${at} of ${countWords(size, 'byte')}`,
        );
      at += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
    digest = hash.digest('hex');
  }

  return {
    size,
    stream: () => {
      if (streamed) throw new ContentChangedError('the content was streamed already');
      streamed = true;
      // One chunk ahead, whatever its size.
      return Readable.from(chunks(), { objectMode: false, highWaterMark: 1 });
    },
    sha256: () => {
      if (digest === null) throw new ContentChangedError('the content was not streamed to its end');
      return digest;
    },
    close: () => handle.close(),
  };
}

async function readChunk(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  try {
    const buffer = Buffer.allocUnsafeSlow(length);
    const { bytesRead } = await handle.read(buffer, 0, length, at);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw new ContentUnreadableError(`the file cannot be read to its end (${errorCode(error) ?? 'closed'})`, {
      cause: error,
    });
  }
}

/** SHA-256 of an open file's first `size` bytes, lower-case hex; null when it has fewer. */
export async function hashContent(handle: FileHandle, size: number): Promise<string | null> {
  const hash = createHash('sha256');
  const buffer = spareBuffers.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);
  try {
    for (let at = 0; at < size;) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, size - at), at);
      if (bytesRead === 0) return null;
      hash.update(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
    return hash.digest('hex');
  } catch (error) {
    throw new ContentUnreadableError(`the file cannot be read to its end (${errorCode(error) ?? 'closed'})`, {
      cause: error,
    });
  } finally {
    if (spareBuffers.length < mostSpareBuffers) spareBuffers.push(buffer);
  }
}
