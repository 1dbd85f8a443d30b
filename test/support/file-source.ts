import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Transform } from 'node:stream';

import { ContentChangedError, ContentUnreadableError, errorMessage } from '../../src/model/errors.ts';
import type { ContentSource } from '../../src/model/ports/folder-port.ts';
import type { OutgoingFile } from '../../src/model/ports/service-port.ts';

export interface TestFile extends OutgoingFile {
  readonly opened: () => number;
  readonly closed: () => number;
}

/** A file of a test as the client takes it: exactly the bytes it had when `size` was taken, or an error. */
export function fileSource(path: string, { name, size }: { name: string; size?: number }): TestFile {
  let opened = 0;
  let closed = 0;
  return {
    name,
    opened: () => opened,
    closed: () => closed,
    open: async () => {
      const source = await openSource(path, size);
      opened += 1;
      let isClosed = false;
      const close = async () => {
        if (!isClosed) closed += 1;
        isClosed = true;
        await source.close();
      };
      return { ...source, close };
    },
  };
}

async function openSource(path: string, announced: number | undefined): Promise<ContentSource> {
  const handle = await open(path).catch((error: unknown) => {
    throw new ContentUnreadableError(errorMessage(error));
  });
  const size = announced ?? (await handle.stat()).size;
  const hash = createHash('sha256');
  let stream: Readable | null = null;
  let digest = '';
  return {
    size,
    sha256: () => digest,
    stream: () => {
      const file = handle.createReadStream({
        start: 0,
        end: Math.max(0, size - 1),
        highWaterMark: 1024 * 1024,
        autoClose: false,
      });
      let seen = 0;
      const counted = new Transform({
        readableHighWaterMark: 1024 * 1024,
        transform(chunk: Buffer, _encoding, callback) {
          seen += chunk.length;
          hash.update(chunk);
          callback(null, chunk);
        },
        flush(callback) {
          digest = hash.digest('hex');
          callback(seen === size ? null : new ContentChangedError('the file is shorter than it was'));
        },
      });
      file.on('error', (error) => counted.destroy(error));
      counted.on('close', () => file.destroy());
      stream = file.pipe(counted);
      return stream;
    },
    close: async () => {
      stream?.destroy();
      await handle.close().catch(() => undefined);
    },
  };
}
