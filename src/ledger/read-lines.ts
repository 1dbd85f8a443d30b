import { open } from 'node:fs/promises';

const CHUNK_BYTES = 512 * 1024;
const NEWLINE = 10;

/** Whole lines of a file, one after the other. */
export interface LineBlock {
  /** Ends with a newline, but for the last block of a file that does not. Valid until the next block. */
  readonly bytes: Buffer;
  /** Where the block begins in the file. */
  readonly offset: number;
}

/** Reads a file in blocks of whole lines, some hundred kilobytes each; gives the event loop its turn between them. */
export async function* readLines(path: string): AsyncGenerator<LineBlock> {
  const handle = await open(path, 'r');
  try {
    let offset = 0;
    let rest = Buffer.alloc(0);
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) break;
      const read = chunk.subarray(0, bytesRead);
      const end = read.lastIndexOf(NEWLINE) + 1;
      if (end === 0) {
        rest = Buffer.concat([rest, read]);
        continue;
      }
      const bytes = rest.length === 0 ? read.subarray(0, end) : Buffer.concat([rest, read.subarray(0, end)]);
      yield { bytes, offset };
      offset += bytes.length;
      rest = Buffer.from(read.subarray(end));
    }
    if (rest.length > 0) yield { bytes: rest, offset };
  } finally {
    await handle.close();
  }
}
