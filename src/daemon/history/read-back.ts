import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../../model/errors.ts';
import { logMatcher } from '../../model/report/log-query.ts';
import type { LogPage, LogQuery } from '../../model/report/log-query.ts';
import type { Activity } from '../../model/report/status.ts';
import { listHistory, parseLine } from './history-files.ts';

/** As many as are shown at a time. */
const mostEntries = 100;
/** One answer reads no further back than this, found or not: the next one goes on from there. */
const mostBytes = 4 * 1024 * 1024;
/** Read at once: parsing it holds the event loop for a few milliseconds. */
const pieceBytes = 256 * 1024;

/** Reads a history from its end, newest first: one bounded part of what matches. */
export async function readBack(directory: string, query: LogQuery): Promise<LogPage> {
  const isWanted = logMatcher(query);
  const from = cursorOf(query.before);
  const entries: Activity[] = [];
  let bytesRead = 0;
  for (const { name, day } of (await listHistory(directory)).toReversed()) {
    if (from !== null && !isUpTo(name, from.name)) continue;
    if (query.since !== null && day < query.since.slice(0, 10)) break;
    const file = join(directory, name);
    let end = from?.name === name ? from.end : await sizeOf(file);
    while (end > 0) {
      if (bytesRead >= mostBytes) return { entries, next: `${name}:${end}` };
      const piece = await readPiece(file, end);
      bytesRead += end - piece.start;
      for (const { text, start } of piece.lines) {
        const line = parseLine(text);
        if (line?.kind !== 'activity' || !isWanted(line.activity)) continue;
        entries.push(line.activity);
        if (entries.length === mostEntries) return { entries, next: `${name}:${start}` };
      }
      end = piece.start;
    }
  }
  return { entries, next: null };
}

interface Cursor {
  readonly name: string;
  /** Bytes of that file that have not been read yet. */
  readonly end: number;
}

function cursorOf(text: string | null): Cursor | null {
  const [, name, end] = /^(.+):(\d+)$/.exec(text ?? '') ?? [];
  return name === undefined ? null : { name, end: Number(end) };
}

/** The day, then the part as a number: `.10.` comes after `.9.`. */
function isUpTo(name: string, other: string): boolean {
  const [day = '', part] = name.split('.');
  const [otherDay = '', otherPart] = other.split('.');
  return day === otherDay ? Number(part) <= Number(otherPart) : day < otherDay;
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    // It went for its age meanwhile.
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

interface Piece {
  /** Whole lines, the last one first. */
  readonly lines: readonly { readonly text: string; readonly start: number }[];
  /** Where the piece begins: what lies before it has not been read. */
  readonly start: number;
}

/** The lines before byte `end`. What follows the last line break is still being written. */
async function readPiece(file: string, end: number): Promise<Piece> {
  const from = Math.max(0, end - pieceBytes);
  const handle = await open(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return { lines: [], start: 0 };
  try {
    const buffer = Buffer.alloc(end - from);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
    const lines: { text: string; start: number }[] = [];
    let stop = buffer.subarray(0, bytesRead).lastIndexOf(0x0a);
    let start = from === 0 ? 0 : from + stop + 1;
    while (stop > 0) {
      const begin = buffer.lastIndexOf(0x0a, stop - 1) + 1;
      // The first line of a piece that does not begin the file may be a half.
      if (begin === 0 && from > 0) break;
      lines.push({ text: buffer.toString('utf8', begin, stop), start: from + begin });
      start = from + begin;
      stop = begin - 1;
    }
    // A line that is longer than a piece is none of ours.
    return { lines, start: start < end ? start : from };
  } finally {
    await handle.close();
  }
}
