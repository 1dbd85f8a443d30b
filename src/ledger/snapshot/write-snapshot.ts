import { crc32 } from 'node:zlib';

import type { Disk, DiskFile } from '../disk.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { endText, headText } from './snapshot-lines.ts';
import type { SnapshotHead } from './snapshot-lines.ts';

/** Larger pieces outlive the collection of young garbage, since lines are made in slices of time. */
const PIECE_CHARACTERS = 15 * 1024;

interface SnapshotContent {
  readonly head: Omit<SnapshotHead, 'version'>;
  readonly lines: Iterable<string>;
}

/** Writes a snapshot under a temporary name, in slices, and resolves with its size when it is on the medium. */
export async function writeSnapshot(
  disk: Disk,
  path: string,
  { head, lines }: SnapshotContent,
): Promise<number> {
  const file = await disk.create(path);
  try {
    const size = await writeLines(file, headText(head), lines);
    await file.sync();
    return size;
  } finally {
    await file.close();
  }
}

async function writeLines(file: DiskFile, head: string, lines: Iterable<string>): Promise<number> {
  const slice = createTimeSlice();
  let checksum = 0;
  let position = 0;
  let count = 0;

  async function put(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    checksum = crc32(bytes, checksum);
    await file.write(bytes, position);
    position += bytes.length;
  }

  let piece = head;
  for (const line of lines) {
    piece += `${line},\n`;
    count += 1;
    if (piece.length >= PIECE_CHARACTERS) {
      await put(piece);
      piece = '';
    }
    const pause = slice();
    if (pause !== undefined) await pause;
  }
  await put(piece);
  await put(endText(count, checksum));
  return position;
}
