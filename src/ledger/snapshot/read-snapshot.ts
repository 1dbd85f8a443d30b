import { isAscii } from 'node:buffer';
import { crc32 } from 'node:zlib';

import { errorCode, errorMessage } from '../../model/errors.ts';
import { countWords } from '../../lib/text/amounts.ts';
import { damaged, tooNew, unreadable } from '../damage.ts';
import { checksumText, LEDGER_VERSION } from '../journal/journal-line.ts';
import { readLines } from '../journal/read-lines.ts';
import { SHAPE, ShapeError } from '../format/shape.ts';
import type { DataFiller } from '../format/data-filler.ts';
import { createLineReader, END_MARK, parseEnd, parseHead } from './snapshot-lines.ts';
import type { SnapshotHead } from './snapshot-lines.ts';

const NEWLINE = 10;

/** What a snapshot said about itself. */
export interface SnapshotReading extends SnapshotHead {
  readonly bytes: number;
  /** Lines, records and all else. */
  readonly count: number;
}

/** Reads a snapshot of any version into `filler`; a LedgerDamagedError when it is not whole and right. */
export async function readSnapshot(path: string, filler: DataFiller): Promise<SnapshotReading> {
  let head: SnapshotHead | null = null;
  let take: (line: unknown) => void = () => undefined;
  let end: ReturnType<typeof parseEnd> = null;
  let checksum = 0;
  let count = 0;
  let bytes = 0;
  try {
    for await (const block of readLines(path)) {
      if (end !== null) throw damaged(path, 'it continues after its end');
      bytes = block.offset + block.bytes.length;
      let rows = block.bytes;
      if (head === null) {
        head = readHead(path, rows);
        take = createLineReader(head.version, filler);
        const first = rows.indexOf(NEWLINE) + 1;
        checksum = crc32(rows.subarray(0, first));
        rows = rows.subarray(first);
      }
      const endAt = findEnd(rows);
      if (endAt !== -1) {
        end = parseEnd(rows.toString('utf8', endAt));
        if (end === null) throw damaged(path, 'its last line is damaged');
        rows = rows.subarray(0, endAt);
      }
      checksum = crc32(rows, checksum);
      const lines = linesOf(rows);
      for (const line of lines) take(line);
      count += lines.length;
    }
  } catch (error) {
    if (errorCode(error) === SHAPE) throw damaged(path, errorMessage(error), error);
    throw unreadable(path, error);
  }
  if (head === null) throw damaged(path, 'it is empty');
  if (end === null) throw damaged(path, 'its end is missing');
  if (end.crc32 !== checksumText(checksum)) throw damaged(path, 'its checksum is wrong');
  if (end.count !== count) throw damaged(path, `it has ${countWords(count, 'line')} instead of ${end.count}`);
  return { ...head, bytes, count };
}

function readHead(path: string, bytes: Buffer): SnapshotHead {
  const newline = bytes.indexOf(NEWLINE);
  const head = newline === -1 ? null : parseHead(bytes.toString('utf8', 0, newline));
  if (head === null) throw damaged(path, 'it is not a ledger');
  if (head.version > LEDGER_VERSION) throw tooNew(path, head.version);
  return head;
}

/** Where the last line begins in these bytes, or -1. No text in JSON holds a raw line break. */
function findEnd(bytes: Buffer): number {
  if (bytes.subarray(0, END_MARK.length).toString('latin1') === END_MARK) return 0;
  const found = bytes.indexOf(`\n${END_MARK}`);
  return found === -1 ? -1 : found + 1;
}

/** Many lines at one stroke: `[...],\n[...],\n` is a list but for its brackets and something behind the last comma. */
function linesOf(bytes: Buffer): readonly unknown[] {
  // Most lines are ASCII, which is latin1 too, and that takes no decoding.
  const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  try {
    const lines = JSON.parse(`[${text}0]`) as unknown[];
    lines.pop();
    return lines;
  } catch (error) {
    throw new ShapeError('its lines are not JSON', { cause: error });
  }
}
