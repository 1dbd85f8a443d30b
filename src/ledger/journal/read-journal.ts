import { errorCode, errorMessage } from '../../model/errors.ts';
import { damaged, tooNew, unreadable } from '../damage.ts';
import { checkedJson, LEDGER_VERSION, parseLine } from './journal-line.ts';
import type { JournalLine } from './journal-line.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { readLines } from './read-lines.ts';
import { SHAPE } from '../format/shape.ts';

const NEWLINE = 10;

/** What a journal held. */
export interface JournalReading {
  readonly version: number;
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

interface Reading {
  version: number;
  generation: number;
  sequence: number;
  groups: number;
  sealed: boolean;
  goodBytes: number;
  headed: boolean;
  /** Changes of a group whose last line has not come. */
  parts: unknown[];
  /** Where the first line begins that is not right. */
  bad: number | null;
}

/**
 * Reads a journal and gives its groups in order to `onGroup`. A last group that is not whole is left out: it was
 * never acknowledged. Anything else that is not right is a LedgerDamagedError.
 */
export async function readJournal(
  path: string,
  onGroup: (changes: readonly unknown[], version: number) => void,
): Promise<JournalReading> {
  const reading: Reading = {
    version: 0,
    generation: 0,
    sequence: 0,
    groups: 0,
    sealed: false,
    goodBytes: 0,
    headed: false,
    parts: [],
    bad: null,
  };
  let size = 0;
  const slice = createTimeSlice();
  try {
    for await (const { bytes, offset } of readLines(path)) {
      size = offset + bytes.length;
      for (const line of linesOf(bytes, offset)) {
        readLine(path, { reading, onGroup, line });
        const pause = slice();
        if (pause !== undefined) await pause;
      }
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  if (!reading.headed) throw damaged(path, 'its first line is missing or damaged');
  const { version, generation, sequence, groups, sealed, goodBytes } = reading;
  if (sealed && size > goodBytes) throw damaged(path, 'it continues after its end');
  return { version, generation, sequence, groups, sealed, goodBytes, tornBytes: size - goodBytes };
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

interface Step {
  readonly reading: Reading;
  readonly onGroup: (changes: readonly unknown[], version: number) => void;
  readonly line: Line;
}

function readLine(path: string, { reading, onGroup, line }: Step): void {
  const json = line.whole ? checkedJson(line.bytes) : null;
  if (json === null) {
    if (!reading.headed) throw damaged(path, 'its first line is missing or damaged');
    reading.bad ??= line.offset;
    return;
  }
  try {
    take(path, { reading, onGroup, line }, parseLine(json));
  } catch (error) {
    if (errorCode(error) !== SHAPE) throw error;
    throw damaged(path, `the line at byte ${line.offset}: ${errorMessage(error)}`, error);
  }
}

function take(path: string, { reading, onGroup, line }: Step, said: JournalLine): void {
  if (!reading.headed) {
    if (said.kind !== 'header') throw damaged(path, 'its first line is not that of a journal');
    if (said.version > LEDGER_VERSION) throw tooNew(path, said.version);
    const { version, generation, sequence } = said;
    Object.assign(reading, { headed: true, version, generation, sequence });
    reading.goodBytes = line.end;
    return;
  }
  const expected = reading.sequence + 1;
  if (reading.bad !== null) {
    // Lines of one group reach the medium in any order: only what comes after the group proves it was whole once.
    if (said.kind === 'group' && said.sequence === expected) return;
    throw damaged(path, `the line at byte ${reading.bad} is damaged, but lines after it are intact`);
  }
  if (said.kind === 'header' || reading.sealed)
    throw damaged(path, `an unexpected line at byte ${line.offset}`);
  if (said.kind === 'seal') {
    if (said.sequence !== reading.sequence || reading.parts.length > 0) {
      throw damaged(path, `lines are missing before byte ${line.offset}`);
    }
    reading.sealed = true;
    reading.goodBytes = line.end;
    return;
  }
  if (said.sequence !== expected) throw damaged(path, `lines are missing before byte ${line.offset}`);
  reading.parts.push(...said.changes);
  if (!said.last) return;
  onGroup(reading.parts, reading.version);
  reading.parts = [];
  reading.sequence = expected;
  reading.groups += 1;
  reading.goodBytes = line.end;
}
