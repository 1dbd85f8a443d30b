import { open } from 'node:fs/promises';

/**
 * Doubled for a line that is longer. Small enough for one tick of the event loop, and so that hardly anything made of
 * a block is in use when the young generation is collected.
 */
const BUFFER_BYTES = 64 * 1024;
const NEWLINE = 10;

/** Whole lines of a file, one after the other. */
export interface LineBlock {
  /** Ends with a newline, but for the last block of a file that does not. Valid until the next block. */
  readonly bytes: Buffer;
  /** Where the block begins in the file. */
  readonly offset: number;
}

/** Reads a file in blocks of whole lines; yields to the event loop between them. */
export async function* readLines(path: string): AsyncGenerator<LineBlock> {
  const handle = await open(path, 'r');
  try {
    let buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    let filled = 0;
    let offset = 0;
    for (;;) {
      if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
      const end = buffer.lastIndexOf(NEWLINE, filled - 1) + 1;
      if (end === 0) continue;
      yield { bytes: buffer.subarray(0, end), offset };
      offset += end;
      buffer.copyWithin(0, end, filled);
      filled -= end;
    }
    if (filled > 0) yield { bytes: buffer.subarray(0, filled), offset };
  } finally {
    await handle.close();
  }
}
