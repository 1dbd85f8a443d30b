import { open } from 'node:fs/promises';

/** Doubled for a line that is longer. A few milliseconds' work: the event loop goes on between two of them. */
const BUFFER_BYTES = 512 * 1024;
/** Small enough that hardly anything made of a block is in use when the young generation is collected. */
const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 10;

/** Whole lines of a file, one after the other. */
export interface LineBlock {
  /** Ends with a newline, but for the last block of a file that does not. Valid until the next block. */
  readonly bytes: Buffer;
  /** Where the block begins in the file. */
  readonly offset: number;
}

/** Reads a file in blocks of whole lines. The next block is read while the caller is busy with one. */
export async function* readLines(path: string): AsyncGenerator<LineBlock> {
  const handle = await open(path, 'r');
  let spare: Buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let kept = 0;
  let offset = 0;
  const readInto = (buffer: Buffer) => {
    const reading = handle.read(buffer, kept, buffer.length - kept);
    // Whoever awaits it gets the error; nobody may do so before the caller is done with a block.
    reading.catch(() => undefined);
    return reading;
  };
  let reading = readInto(Buffer.allocUnsafe(BUFFER_BYTES));
  try {
    for (;;) {
      const { bytesRead, buffer } = await reading;
      const filled = kept + bytesRead;
      if (bytesRead === 0) {
        if (filled > 0) yield { bytes: buffer.subarray(0, filled), offset };
        return;
      }
      const end = buffer.lastIndexOf(NEWLINE, filled - 1) + 1;
      kept = filled - end;
      // A line that fills the buffer needs a longer one.
      if (kept >= spare.length) spare = Buffer.allocUnsafe(2 * kept);
      buffer.copy(spare, 0, end, filled);
      reading = readInto(spare);
      spare = buffer;
      if (end === 0) continue;
      for (let at = 0; at < end;) {
        const newline = buffer.lastIndexOf(NEWLINE, Math.min(at + BLOCK_BYTES, end) - 1) + 1;
        const to = newline > at ? newline : buffer.indexOf(NEWLINE, at) + 1;
        yield { bytes: buffer.subarray(at, to), offset: offset + at };
        at = to;
      }
      offset += end;
    }
  } finally {
    await reading.catch(() => undefined);
    await handle.close();
  }
}
