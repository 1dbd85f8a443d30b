import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

import { orNull } from '../../lib/or-null.ts';
import type { Clock } from '../../lib/time/clock.ts';
import type { Settings } from '../../model/settings.ts';
import type { Activity, Status } from '../../model/report/status.ts';
import { historyFiles, lineText, reading } from './history-files.ts';

export interface WriterOptions {
  readonly keeps: Pick<Settings['log'], 'keepDays' | 'keepMegabytes'>;
  readonly clock: Clock;
}

const dayMs = 24 * 3_600_000;
const mebibyte = 1024 * 1024;
/** When one is full, the oldest beyond `log.keepMegabytes` goes: at least sixteen of them are the whole. */
const longestFileBytes = 4 * mebibyte;
const leastFiles = 16;

/** In the first line of a file, where the system says it: when it was begun. */
const begunOf = reading(
  '"sinceBoot":',
  z.object({ sinceBoot: z.object({ bootId: z.string(), ms: z.number() }) }),
);

/**
 * Writes to the newest file of a history, begins others, and removes what is no longer to be kept. What it gives writes
 * all of it or nothing: throws where the disk does not take it. `keeps`: how long, and how much; `standing`: how much was
 * ever delivered, and what is open, the newest last.
 */
export function createHistoryWriter(
  directory: string,
  { keeps, clock }: WriterOptions,
  standing: () => { readonly totals: Status['totals']; readonly open: readonly Activity[] },
) {
  const keptMs = keeps.keepDays * dayMs;
  const keptBytes = keeps.keepMegabytes * mebibyte;
  const fileBytes = Math.min(longestFileBytes, keptBytes / leastFiles);
  let current: { readonly name: string; readonly size: number } | null = null;

  return (data: string): void => {
    const bytes = Buffer.byteLength(data);
    const today = dayOf(clock.now());
    const { name, size } =
      current !== null && current.name >= today && current.size + bytes <= fileBytes
        ? current
        : fileFor(today, bytes);
    current = null;
    try {
      appendFileSync(join(directory, name), data, { mode: 0o600 });
    } catch (error) {
      orNull(() => truncateSync(join(directory, name), size));
      throw error;
    }
    current = { name, size: size + bytes };
  };

  /**
   * The file of this day with room for so many bytes; a new one where there is none. Where the clock was set back, the
   * last file's day goes on: the order of the files is the order in which things happened.
   */
  function fileFor(today: string, bytes: number) {
    // Not those above it: a state directory that was taken away comes back as it was, or not at all.
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
    const last = historyFiles(directory).at(-1) ?? '';
    if (last >= today) {
      const path = join(directory, last);
      const size = readFileSync(path).lastIndexOf('\n') + 1;
      // A line that a crash cut short goes, so that the next one is not glued to it.
      truncateSync(path, size);
      if (size + bytes <= fileBytes) return { name: last, size };
    }
    const [day, part] = last >= today ? last.split('.') : [today, -1];
    const name = `${day}.${Number(part) + 1}.jsonl`;
    // These stand in each file, so that nothing of them is missed when older ones go.
    const { totals, open } = standing();
    let room = fileBytes / 2;
    const newest = open.toReversed().filter((one) => (room -= Buffer.byteLength(lineText(one))) > 0);
    const sinceBoot = clock.sinceBoot?.() ?? undefined;
    const first = lineText({ totals, sinceBoot, open: newest.toReversed() });
    writeFileSync(join(directory, name), first, { mode: 0o600 });
    prune();
    return { name, size: Buffer.byteLength(first) };
  }

  /** Removes what is older than it is to be kept, and the oldest beyond what it may take. */
  function prune(): void {
    const oldestDay = dayOf(clock.now() - keptMs);
    let bytes = fileBytes;
    for (const name of historyFiles(directory).toReversed()) {
      const path = join(directory, name);
      bytes += statSync(path).size;
      const isOld = name < oldestDay && !isBegunWithin(keptMs, path, clock);
      if (isOld || bytes > keptBytes) rmSync(path, { force: true });
    }
  }
}

function dayOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 10);
}

/** Whether a file was begun so recently, whatever the clock said then: it is known since the machine was booted. */
function isBegunWithin(ms: number, path: string, { sinceBoot }: Clock): boolean {
  const now = sinceBoot?.() ?? null;
  const begun = begunOf(readFileSync(path, 'utf8').split('\n', 1)[0] ?? '')?.sinceBoot;
  return now !== null && begun?.bootId === now.bootId && now.ms - begun.ms < ms;
}
