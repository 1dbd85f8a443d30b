import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { orNull } from '../../lib/or-null.ts';
import type { Clock } from '../../lib/time/clock.ts';
import type { Settings } from '../../model/settings.ts';
import { historyFiles, lineText, parseLine } from './history-files.ts';
import type { Totals } from './history-files.ts';

interface WriterOptions {
  readonly keeps: Pick<Settings['log'], 'keepDays' | 'keepMegabytes'>;
  readonly clock: Clock;
}

const dayMs = 24 * 3_600_000;
const mebibyte = 1024 * 1024;
/** When one is full, the oldest beyond `log.keepMegabytes` goes: at least sixteen of them are the whole. */
const longestFileBytes = 4 * mebibyte;
const leastFiles = 16;

interface CurrentFile {
  readonly name: string;
  size: number;
}

/**
 * Writes to the newest file of a history, begins others, and removes what is no longer to be kept. What it gives writes
 * all of it or nothing: throws where the disk does not take it. `keeps`: how long, and how much; `totals`: of all that was
 * ever delivered.
 */
export function createHistoryWriter(
  directory: string,
  { keeps, clock }: WriterOptions,
  totals: () => Totals,
) {
  const fileBytes = Math.min(longestFileBytes, (keeps.keepMegabytes * mebibyte) / leastFiles);
  let current: CurrentFile | null = null;

  return (data: Buffer): void => {
    const file = fileFor(data.length);
    const path = join(directory, file.name);
    try {
      appendFileSync(path, data, { mode: 0o600 });
      file.size += data.length;
    } catch (error) {
      current = null;
      orNull(() => truncateSync(path, file.size));
      throw error;
    }
  };

  /**
   * The file of this day with room for so many bytes; a new one where there is none. Where the clock was set back, the
   * last file's day goes on: the order of the files is the order in which things happened.
   */
  function fileFor(bytes: number): CurrentFile {
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    if (current !== null && current.name >= today && current.size + bytes <= fileBytes) return current;
    // Not those above it: a state directory that was taken away comes back as it was, or not at all.
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
    const last = historyFiles(readdirSync(directory)).at(-1);
    const goesOn = last !== undefined && last >= today;
    if (goesOn && current?.name !== last) {
      current = { name: last, size: endLine(join(directory, last)) };
      if (current.size + bytes <= fileBytes) return current;
    }
    const [day, part] = goesOn ? last.split('.') : [today, -1];
    const name = `${day}.${Number(part) + 1}.jsonl`;
    // The totals stand in each file, so that none of them is missed when older ones go.
    const sinceBoot = clock.sinceBoot?.() ?? undefined;
    const first = lineText({ totals: totals(), sinceBoot });
    writeFileSync(join(directory, name), first, { mode: 0o600 });
    current = { name, size: Buffer.byteLength(first) };
    prune();
    return current;
  }

  /** Removes what is older than it is to be kept, and the oldest beyond what it may take. */
  function prune(): void {
    const keptMs = keeps.keepDays * dayMs;
    const oldestDay = new Date(clock.now() - keptMs).toISOString().slice(0, 10);
    let bytes = 0;
    for (const name of historyFiles(readdirSync(directory)).toReversed()) {
      const file = join(directory, name);
      bytes += statSync(file).size;
      const isOld = name < oldestDay && !isBegunWithin(keptMs, file, clock);
      if (isOld || bytes > keeps.keepMegabytes * mebibyte - fileBytes) rmSync(file, { force: true });
    }
  }
}

/**
 * A line that a crash cut short is taken away, so that the next one is not glued to it. Gives the size that is left.
 */
function endLine(file: string): number {
  chmodSync(file, 0o600);
  const end = readFileSync(file).lastIndexOf(0x0a) + 1;
  truncateSync(file, end);
  return end;
}

/** Whether a file was begun so recently, whatever the clock said then: it is known since the machine was booted. */
function isBegunWithin(ms: number, file: string, { sinceBoot }: Clock): boolean {
  const now = sinceBoot?.() ?? null;
  const [first = ''] = readFileSync(file, 'utf8').split('\n', 1);
  const line = parseLine(first);
  const begun = line !== null && 'totals' in line ? line.sinceBoot : undefined;
  if (now === null || begun?.bootId !== now.bootId) return false;
  return now.ms - begun.ms < ms;
}
