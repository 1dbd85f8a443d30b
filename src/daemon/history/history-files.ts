import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';

import type { DeepReadonly } from '../../lib/deep-readonly.ts';
import { withPath } from '../../lib/files/durable-file.ts';
import { orNull } from '../../lib/or-null.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { printableJson } from '../../lib/text/printable.ts';
import { isAtOrBelow, refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { fileFault, errorCode } from '../../model/errors.ts';
import { logMatcher } from '../../model/report/log-query.ts';
import type { LogFilter, LogPage, LogQuery } from '../../model/report/log-query.ts';
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

/** A file of the history: one day's, or a part of it. */
export interface HistoryFile {
  readonly name: string;
  /** `2026-01-31`, UTC. */
  readonly day: string;
  readonly part: number;
}

const namePattern = /^(\d{4}-\d{2}-\d{2})\.(\d{1,6})\.jsonl$/;

/** Where the history of a state directory lies. */
export function historyDirectory(stateDir: string): string {
  return join(stateDir, 'history');
}

export function historyFileName({ day, part }: Pick<HistoryFile, 'day' | 'part'>): string {
  return `${day}.${part}.jsonl`;
}

/** Null: the name is no history file's. */
function historyFile(name: string): HistoryFile | null {
  const [, day, part] = namePattern.exec(name) ?? [];
  return day === undefined ? null : { name, day, part: Number(part) };
}

function byAge(a: HistoryFile, b: HistoryFile): number {
  return a.day === b.day ? a.part - b.part : a.day < b.day ? -1 : 1;
}

/** The files of a history, oldest first; none where there is no history. */
async function listHistory(directory: string): Promise<readonly HistoryFile[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw fileFault(error);
  });
  return historyFiles(names);
}

/** Those of the names in a directory that are a history's files, oldest first. */
export function historyFiles(names: readonly string[]): readonly HistoryFile[] {
  return names
    .map(historyFile)
    .filter((file) => file !== null)
    .toSorted(byAge);
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
 * Reads the lines of one file from byte `start` on, and where the next read begins: a last line that is not whole is
 * still being written, or was cut short by a crash. A file that is removed meanwhile has none.
 */
async function readLines(
  file: string,
  start = 0,
): Promise<{ readonly texts: readonly string[]; readonly end: number }> {
  const bytes = await readFile(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw fileFault(withPath(error, file));
  });
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end <= start) return { texts: [], end: start };
  return { texts: bytes.toString('utf8', start, end - 1).split('\n'), end };
}

/** A line, and where it stands. */
interface ReadLine {
  /** What happened; null: it says something else. */
  readonly activity: Activity | null;
  /** How much was delivered until then; null: it says something else. */
  readonly totals: Totals | null;
  readonly file: HistoryFile;
  /** How many lines are before it in its file. */
  readonly index: number;
  /** Where the whole lines of its file ended, bytes. */
  readonly fileEnd: number;
}

interface BackOptions {
  /** A line that an earlier reader had last; null: begin with the newest. */
  readonly before?: Pick<ReadLine, 'file' | 'index'> | null;
  /** Lines that this is false of are left out: parsing takes longest. */
  readonly mayBeWanted?: (text: string) => boolean;
}

/** All that is written, newest first. Whoever has read enough stops. */
export async function* linesBack(
  directory: string,
  { before = null, mayBeWanted = () => true }: BackOptions = {},
): AsyncGenerator<ReadLine> {
  const slice = createTimeSlice();
  for (const file of (await listHistory(directory)).toReversed()) {
    if (before !== null && byAge(file, before.file) > 0) continue;
    const { texts, end } = await readLines(join(directory, file.name));
    const last = before?.file.name === file.name ? Math.min(before.index, texts.length) : texts.length;
    for (let index = last - 1; index >= 0; index -= 1) {
      const text = texts[index] ?? '';
      if (mayBeWanted(text)) yield { ...lineOf(text), file, index, fileEnd: end };
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

interface PlaceFilter extends Omit<LogFilter, 'search'> {
  /** Documents, or directories with all that is in them; null: everything. */
  readonly places: readonly DocumentRef[] | null;
}

const pollMs = 500;

interface ReadOptions {
  /** Only the last of it; null: all. */
  readonly most?: number | null;
  /** What has the same text in a row counts as one. Left out: nothing has. */
  readonly countedAs?: ((activity: Activity) => string) | undefined;
  /** Also what happens from now on, until this says so. */
  readonly isOver?: () => boolean;
}

/** What happened, oldest first; a daemon may be writing it. */
export async function* readLog(
  stateDir: string,
  filter: PlaceFilter,
  { most = null, countedAs, isOver = () => true }: ReadOptions = {},
): AsyncGenerator<Activity> {
  const directory = historyDirectory(stateDir);
  const matches = logMatcher({ ...filter, search: '' });
  const isWanted = (activity: Activity | null): activity is Activity =>
    activity !== null && matches(activity) && isIn(filter.places, activity);
  /** What was read last, and up to which byte: older files do not change. */
  let last: { readonly file: HistoryFile; readonly end: number } | null = null;
  if (most !== null) {
    const found: Activity[] = [];
    let count = 0;
    for await (const { activity, file, fileEnd: end } of linesBack(directory)) {
      last ??= { file, end };
      if (!isWanted(activity)) continue;
      const before = found.at(-1);
      const isMore = before !== undefined && countedAs?.(before) === countedAs?.(activity);
      if (countedAs === undefined || !isMore) count += 1;
      if (count > most) break;
      found.push(activity);
    }
    yield* found.toReversed();
  }
  const slice = createTimeSlice();
  for (;;) {
    for (const file of await listHistory(directory)) {
      if (last !== null && byAge(file, last.file) < 0) continue;
      if (filter.since !== null && file.day < filter.since.slice(0, 10)) continue;
      const start: number = last?.file.name === file.name ? last.end : 0;
      const { texts, end } = await readLines(join(directory, file.name), start);
      last = { file, end };
      for (const text of texts) {
        const { activity } = lineOf(text);
        if (isWanted(activity)) yield activity;
        await slice();
      }
    }
    if (isOver()) return;
    await delay(pollMs);
  }
}

function isIn(places: PlaceFilter['places'], { folder, path }: Activity): boolean {
  if (places === null) return true;
  return places.some((place) => folder === place.folder && isAtOrBelow(path, place.path));
}

/**
 * What happened to the file at a path, and to it where it was before it came there: entries are asked for newest first.
 * What was moved away from the path is part of it.
 */
export class FileStory {
  #key: string;
  /** As the path ends in a line. */
  #text = '';

  constructor(ref: DocumentRef) {
    this.#key = refKey(ref);
    this.#follow(this.#key);
  }

  /** Of a line that was not parsed. */
  readonly mayTell = (line: string): boolean => line.includes(this.#text);

  readonly tells = (activity: Activity): boolean => {
    const { from } = activity;
    const isThere = refKey(activity) === this.#key;
    if (!isThere && from !== this.#key) return false;
    if (isThere && from !== undefined) this.#follow(from);
    return true;
  };

  #follow(key: string): void {
    this.#key = key;
    this.#text = printableJson(JSON.stringify(key.slice(key.indexOf('/') + 1))).slice(1);
  }
}

/** The part of a file's story that is written, oldest first. */
export async function readPast(directory: string, story: FileStory): Promise<readonly Activity[]> {
  const found: Activity[] = [];
  for await (const { activity } of linesBack(directory, { mayBeWanted: story.mayTell }))
    if (activity !== null && story.tells(activity)) found.push(activity);
  return found.toReversed();
}

/** As many as are shown at a time. */
const mostEntries = 100;
/** One answer reads no further back than this, found or not: the next one goes on from there. */
const mostLines = 8_192;

/** Reads a history from its end, newest first: one bounded part of what matches. */
export async function readBack(directory: string, query: LogQuery): Promise<LogPage> {
  const isWanted = logMatcher(query);
  const entries: Activity[] = [];
  let lines = 0;
  for await (const { activity, file, index } of linesBack(directory, { before: cursorOf(query.before) })) {
    if (query.since !== null && file.day < query.since.slice(0, 10)) break;
    if (activity !== null && isWanted(activity)) entries.push(activity);
    lines += 1;
    if (entries.length === mostEntries || lines === mostLines)
      return { entries, next: `${file.name}:${index}` };
  }
  return { entries, next: null };
}

function cursorOf(text: string | null): Pick<ReadLine, 'file' | 'index'> | null {
  const [, name = '', index] = /^(.+):(\d+)$/.exec(text ?? '') ?? [];
  const file = historyFile(name);
  return file === null ? null : { file, index: Number(index) };
}
