import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';

import type { DeepReadonly } from '../../lib/deep-readonly.ts';
import { withPath } from '../../lib/files/durable-file.ts';
import { orNull } from '../../lib/or-null.ts';
import { inNaturalOrder } from '../../lib/text/natural-order.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { printableJson } from '../../lib/text/printable.ts';
import { isAtOrBelow, refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { fileFault, errorCode } from '../../model/errors.ts';
import { activitySchema, noTotals, totalsSchema } from '../../model/report/status.ts';
import type { Activity, Status } from '../../model/report/status.ts';

/** What the history keeps of everything that was ever delivered from this state directory. */
export type Totals = Status['totals'];

const totalsLineSchema = z.object({
  totals: totalsSchema,
  /** When it was written, where the system says it: of the first line of a file. */
  sinceBoot: z.object({ bootId: z.string(), ms: z.number() }).optional(),
});

/** What one line of a history file says: what happened, or how much was delivered until then. */
const lineSchema = z.union([activitySchema, totalsLineSchema]);

type HistoryLine = DeepReadonly<z.output<typeof lineSchema>>;

/** `2026-01-31.0.jsonl`: the day, UTC, and which part of it. */
const namePattern = /^\d{4}-\d{2}-\d{2}\.\d{1,6}\.jsonl$/;

/** Where the history of a state directory lies. */
export function historyDirectory(stateDir: string): string {
  return join(stateDir, 'history');
}

/** Those of the names in a directory that are a history's files, oldest first. */
export function historyFiles(names: readonly string[]): readonly string[] {
  return names.filter((name) => namePattern.test(name)).toSorted(inNaturalOrder);
}

/** The files of a history, oldest first; none where there is no history. */
async function listHistory(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw fileFault(error);
  });
  return historyFiles(names);
}

/** A line as it is written. */
export function lineText(line: HistoryLine): string {
  return `${printableJson(JSON.stringify(line))}\n`;
}

/** Null: it is no line of a history. */
export function parseLine(text: string): HistoryLine | null {
  return orNull(() => lineSchema.parse(JSON.parse(text)));
}

/**
 * The lines of one file: a last line that is not whole is still being written, or was cut short by a crash. A file that is
 * removed meanwhile has none.
 */
async function readLines(file: string): Promise<readonly string[]> {
  const bytes = await readFile(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw fileFault(withPath(error, file));
  });
  return bytes
    .toString('utf8', 0, bytes.lastIndexOf(0x0a) + 1)
    .split('\n')
    .slice(0, -1);
}

/** Where a line stands. */
interface LinePlace {
  /** The name of its file. */
  readonly file: string;
  /** How many lines are before it there. */
  readonly index: number;
}

interface ReadLine extends LinePlace {
  /** What happened; null: it says something else. */
  readonly activity: Activity | null;
  /** How much was delivered until then; null: it says something else. */
  readonly totals: Totals | null;
}

interface BackOptions {
  /** Ends at this line, which was read before. */
  readonly after?: LinePlace | null;
  /** ISO 8601: ends at the files of earlier days. */
  readonly since?: string | null;
  /** Lines that this is false of are left out: parsing takes longest. */
  readonly mayBeWanted?: (text: string) => boolean;
}

/** All that is written, newest first. Whoever has read enough stops. */
export async function* linesBack(
  directory: string,
  { after = null, since = null, mayBeWanted = () => true }: BackOptions = {},
): AsyncGenerator<ReadLine> {
  const slice = createTimeSlice();
  for (const file of (await listHistory(directory)).toReversed()) {
    if (since !== null && file < since.slice(0, 10)) return;
    const texts = await readLines(join(directory, file));
    for (let index = texts.length - 1; index >= 0; index -= 1) {
      if (after?.file === file && after.index === index) return;
      const text = texts[index] ?? '';
      if (mayBeWanted(text)) yield { ...lineOf(text), file, index };
      await slice();
    }
  }
}

function lineOf(text: string): Pick<ReadLine, 'activity' | 'totals'> {
  const line = parseLine(text);
  if (line === null) return { activity: null, totals: null };
  return 'totals' in line ? { activity: null, totals: line.totals } : { activity: line, totals: null };
}

/** The last totals that were written; nothing where there is no history, or none that can be read. */
export async function readTotals(stateDir: string): Promise<Totals> {
  try {
    for await (const { totals } of linesBack(historyDirectory(stateDir))) if (totals !== null) return totals;
  } catch {
    // Nothing is known of it.
  }
  return noTotals;
}

/** What of the history is wanted. */
interface LogFilter {
  /** ISO 8601, UTC; null: from the beginning. What a clock that was ahead put into the future is not since then. */
  readonly since: string | null;
  /** Only what went wrong, or may have, and that it is over. */
  readonly failed: boolean;
  /** Documents, or directories with all that is in them; null: everything. */
  readonly places: readonly DocumentRef[] | null;
}

const pollMs = 500;

interface ReadOptions {
  /** Only the last of it; null: all. */
  readonly most?: number | null;
  /** Whether the next older one is part of what counts already; left out: each counts. */
  readonly isMore?: ((activity: Activity) => boolean) | undefined;
  /** Also what happens from now on, until this says so. */
  readonly isOver?: () => boolean;
}

/** What happened, oldest first; a daemon may be writing it. */
export async function* readLog(
  stateDir: string,
  filter: LogFilter,
  { most = null, isMore = () => false, isOver = () => true }: ReadOptions = {},
): AsyncGenerator<Activity> {
  const { since } = filter;
  /** What was read last. */
  let after: LinePlace | null = null;
  for (let remaining = most ?? Infinity; ; remaining = Infinity) {
    const found: Activity[] = [];
    let newest: LinePlace | null = null;
    for await (const line of linesBack(historyDirectory(stateDir), { after, since })) {
      newest ??= line;
      const { activity } = line;
      if (activity === null || !isWanted(activity, filter)) continue;
      if (!isMore(activity)) remaining -= 1;
      if (remaining < 0) break;
      found.push(activity);
    }
    after = newest ?? after;
    yield* found.toReversed();
    if (isOver()) return;
    await delay(pollMs);
  }
}

const failures: ReadonlySet<string> = new Set([
  'failed',
  'in doubt',
  'held',
  'warning',
  'problem',
  'recovered',
]);

/** The clocks of a daemon and of who looks at its log may differ by so much. */
const toleratedAheadMs = 5 * 60_000;

/** Whether an entry of the log is one of those that are wanted. */
export function isWanted(
  { at, folder, path, what }: Activity,
  { since, failed, places }: LogFilter,
): boolean {
  if (since !== null && (at < since || Date.parse(at) > Date.now() + toleratedAheadMs)) return false;
  if (failed && !failures.has(what)) return false;
  if (places === null) return true;
  const isOfAll = folder === '' && (what === 'paused' || what === 'resumed');
  return places.some((place) => (isOfAll || folder === place.folder) && isAtOrBelow(path, place.path));
}

/**
 * What happened to the file at a path, and to it where it was before it came there: entries are asked for newest first.
 * What was moved away from the path is part of it.
 */
function createFileStory(ref: DocumentRef) {
  let key = refKey(ref);
  /** As the path ends in a line. */
  const ending = () => printableJson(JSON.stringify(key.slice(key.indexOf('/') + 1))).slice(1);
  let text = ending();
  return {
    /** Of a line that was not parsed. */
    mayTell: (line: string): boolean => line.includes(text),
    tells: (activity: Activity): boolean => {
      const { from } = activity;
      const isThere = refKey(activity) === key;
      if (isThere && from !== undefined) {
        key = from;
        text = ending();
      }
      return isThere || from === key;
    },
  };
}

/**
 * What happened to one file, under its former paths too, newest last, as far as the history goes back. `unwritten`: what
 * stands in no file, oldest first; `onFault`: told why the files cannot be read.
 */
export async function readPast(
  directory: string,
  ref: DocumentRef,
  unwritten: readonly Activity[],
  onFault: (error: unknown) => void = () => {},
): Promise<readonly Activity[]> {
  const { tells, mayTell } = createFileStory(ref);
  const told = unwritten.toReversed().filter(tells);
  try {
    for await (const { activity } of linesBack(directory, { mayBeWanted: mayTell }))
      if (activity !== null && tells(activity)) told.push(activity);
  } catch (error) {
    onFault(error);
  }
  return told.toReversed();
}
