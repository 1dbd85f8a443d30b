import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { errorMessage } from '../../model/errors.ts';
import { damaged, otherVersion, unreadable } from '../ledger-errors.ts';
import { ShapeError } from '../records/shape.ts';
import { checkedJson, LEDGER_VERSION, parseLine } from './journal-line.ts';
import type { JournalLine } from './journal-line.ts';
import { readLines } from './read-lines.ts';

const NEWLINE = 10;

/** What a journal held. */
export interface JournalReading {
  readonly generation: number;
  /** The last whole group; that of the header where there is none. */
  readonly sequence: number;
  readonly groups: number;
  readonly sealed: boolean;
  /** Bytes up to the end of the last whole group or the seal. */
  readonly goodBytes: number;
  /** Bytes of a group that was never finished, behind those. */
  readonly tornBytes: number;
}

/**
 * Reads a journal and gives its groups in order to `onGroup`. A last group that is not whole is left out: it was
 * never acknowledged. Anything else that is not right is a LedgerDamagedError.
 */
export async function readJournal(
  path: string,
  onGroup: (changes: readonly unknown[]) => void,
): Promise<JournalReading> {
  let header: Extract<JournalLine, { readonly kind: 'header' }> | null = null;
  let sequence = 0;
  let groups = 0;
  let sealed = false;
  let goodBytes = 0;
  let size = 0;
  /** Changes of a group whose last line has not come. */
  let parts: unknown[] = [];
  /** Where the first line begins that is not right. */
  let bad: number | null = null;

  function readLine(line: Line): void {
    const json = line.whole ? checkedJson(line.bytes) : null;
    if (json === null) {
      if (header === null) throw damaged(path, 'its first line is missing or damaged');
      bad ??= line.offset;
      return;
    }
    try {
      take(parseLine(json), line);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      throw damaged(path, `the line at byte ${line.offset}: ${errorMessage(error)}`, error);
    }
  }

  function take(said: JournalLine, line: Line): void {
    if (header === null) {
      if (said.kind !== 'header') throw damaged(path, 'its first line is not that of a journal');
      if (said.version !== LEDGER_VERSION) throw otherVersion(path, said.version);
      header = said;
      sequence = said.sequence;
      goodBytes = line.end;
      return;
    }
    if (bad !== null) {
      // Lines of one group reach the medium in any order: only what comes after the group proves it was whole once.
      if (said.kind === 'group' && said.sequence === sequence + 1) return;
      throw damaged(path, `the line at byte ${bad} is damaged, but lines after it are intact`);
    }
    if (said.kind === 'header' || sealed) throw damaged(path, `an unexpected line at byte ${line.offset}`);
    if (said.kind === 'seal') {
      if (said.sequence !== sequence || parts.length > 0) {
        throw damaged(path, `lines are missing before byte ${line.offset}`);
      }
      sealed = true;
      goodBytes = line.end;
      return;
    }
    if (said.sequence !== sequence + 1) throw damaged(path, `lines are missing before byte ${line.offset}`);
    parts.push(...said.changes);
    if (!said.last) return;
    onGroup(parts);
    parts = [];
    sequence += 1;
    groups += 1;
    goodBytes = line.end;
  }

  const slice = createTimeSlice();
  try {
    for await (const { bytes, offset } of readLines(path)) {
      size = offset + bytes.length;
      for (const line of linesOf(bytes, offset)) {
        readLine(line);
        const pause = slice();
        if (pause !== undefined) await pause;
      }
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  if (header === null) throw damaged(path, 'its first line is missing or damaged');
  if (sealed && size > goodBytes) throw damaged(path, 'it continues after its end');
  const { generation } = header;
  return { generation, sequence, groups, sealed, goodBytes, tornBytes: size - goodBytes };
}

interface Line {
  /** Without its newline. */
  readonly bytes: Buffer;
  readonly offset: number;
  /** Where the next line begins. */
  readonly end: number;
  readonly whole: boolean;
}

function* linesOf(bytes: Buffer, offset: number): Generator<Line> {
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline + 1;
    const line = bytes.subarray(start, newline === -1 ? end : newline);
    yield { bytes: line, offset: offset + start, end: offset + end, whole: newline !== -1 };
    start = end;
  }
}
