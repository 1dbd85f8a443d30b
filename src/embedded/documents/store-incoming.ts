import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { sizeWords } from '../../lib/text/amounts.ts';
import { RefusalError } from '../http/answers.ts';
import type { FileRecord } from './document-store.ts';

/** Where the bytes of one part go, under which rules. */
interface Destination {
  readonly directory: string;
  readonly name: string;
  readonly maxBytes: number;
}

/**
 * Streams one file to disk, hashed on its way; its bytes are durable when this returns, its name is not yet.
 * Throws RefusalError 413 past `maxBytes`, and then nothing is left of it.
 */
export async function storeIncoming(
  content: Readable,
  { directory, name, maxBytes }: Destination,
): Promise<FileRecord> {
  const blob = randomUUID();
  const path = join(directory, blob);
  const file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let size = 0;
  try {
    await pipeline(content, async (chunks: AsyncIterable<Buffer>) => {
      for await (const bytes of chunks) {
        size += bytes.length;
        if (size > maxBytes) {
          const limit = sizeWords(maxBytes);
          throw new RefusalError(413, `the file ${JSON.stringify(name)} is larger than ${limit}`);
        }
        hash.update(bytes);
        await file.appendFile(bytes);
      }
    });
    await file.datasync();
    return { blob, name, size, sha256: hash.digest('hex') };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
