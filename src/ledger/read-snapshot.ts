import { crc32 } from 'node:zlib';

import { errorCode, errorMessage } from '../core/errors.ts';
import { damaged, tooNew, unreadable } from './damage.ts';
import { checksumText, LEDGER_VERSION } from './journal-line.ts';
import { readLines } from './read-lines.ts';
import { SHAPE, ShapeError } from './shape.ts';
import { END_MARK, parseEnd, parseHead } from './snapshot-lines.ts';
import type { SnapshotHead } from './snapshot-lines.ts';

const NEWLINE = 10;

/** What a snapshot said about itself. */
export interface SnapshotReading extends SnapshotHead {
  readonly bytes: number;
  /** Lines, records and all else. */
  readonly count: number;
}

/** Reads a snapshot and gives its lines in order to `onLine`; a LedgerDamagedError when it is not whole and right. */
export async function readSnapshot(path: string, onLine: (line: unknown) => void): Promise<SnapshotReading> {
  let head: SnapshotHead | null = null;
  let end: ReturnType<typeof parseEnd> = null;
  let checksum = 0;
  let count = 0;
  let bytes = 0;
  try {
    for await (const block of readLines(path)) {
      if (end !== null) throw damaged(path, 'something stands behind its end');
      bytes = block.offset + block.bytes.length;
      let rows = block.bytes;
      if (head === null) {
        head = readHead(path, rows);
        const first = rows.indexOf(NEWLINE) + 1;
        checksum = crc32(rows.subarray(0, first));
        rows = rows.subarray(first);
      }
      const endAt = findEnd(rows);
      if (endAt !== -1) {
        end = parseEnd(rows.toString('utf8', endAt));
        if (end === null) throw damaged(path, 'its last line is not right');
        rows = rows.subarray(0, endAt);
      }
      checksum = crc32(rows, checksum);
      count += giveLines(rows, onLine);
    }
  } catch (error) {
    if (errorCode(error) === SHAPE) throw damaged(path, errorMessage(error), error);
    throw unreadable(path, error);
  }
  if (head === null) throw damaged(path, 'it is empty');
  if (end === null) throw damaged(path, 'its end is missing');
  if (end.crc32 !== checksumText(checksum)) throw damaged(path, 'its checksum is not right');
  if (end.count !== count) throw damaged(path, `it has ${count} lines and not ${end.count}`);
  return { ...head, bytes, count };
}

function readHead(path: string, bytes: Buffer): SnapshotHead {
  const newline = bytes.indexOf(NEWLINE);
  const head = newline === -1 ? null : parseHead(bytes.toString('utf8', 0, newline));
  if (head === null) throw damaged(path, 'it does not begin like a ledger');
  if (head.version > LEDGER_VERSION) throw tooNew(path, head.version);
  return head;
}

/** Where the last line begins in these bytes, or -1. No text in JSON holds a raw line break. */
function findEnd(bytes: Buffer): number {
  if (bytes.subarray(0, END_MARK.length).toString('latin1') === END_MARK) return 0;
  const found = bytes.indexOf(`\n${END_MARK}`);
  return found === -1 ? -1 : found + 1;
}

/** Many lines at one stroke: `[...],\n[...],\n` is a list but for its brackets. */
function giveLines(bytes: Buffer, onLine: (line: unknown) => void): number {
  if (bytes.length === 0) return 0;
  const lines = parseRows(`[${bytes.toString('utf8')}0]`);
  for (let index = 0; index < lines.length - 1; index += 1) onLine(lines[index]);
  return lines.length - 1;
}

function parseRows(json: string): readonly unknown[] {
  try {
    return JSON.parse(json) as readonly unknown[];
  } catch (error) {
    throw new ShapeError('its lines are not JSON', { cause: error });
  }
}
