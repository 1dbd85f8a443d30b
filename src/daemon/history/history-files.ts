import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

import { withPath } from '../../lib/files/durable-file.ts';
import type { BootMoment } from '../../lib/time/boot-moment.ts';
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

/** One line of a history file: what happened, or how much was delivered until then. */
export type HistoryLine =
  | Activity
  | {
      readonly totals: Totals;
      /** When it was written, where the system says it: of the first line of a file. */
      readonly sinceBoot?: BootMoment | undefined;
    };

/** A file of the history: one day's, or a part of it. */
export interface HistoryFile {
  readonly name: string;
  /** `2026-01-31`, UTC. */
  readonly day: string;
  readonly part: number;
}

const namePattern = /^(\d{4}-\d{2}-\d{2})\.(\d{1,6})\.jsonl$/;

const totalsLineSchema = z.object({
  totals: totalsSchema,
  sinceBoot: z.object({ bootId: z.string(), ms: z.number() }).optional(),
});

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
  const schema = saysTotals(text) ? totalsLineSchema : activitySchema;
  return orNull(() => schema.parse(JSON.parse(text)));
}

/** Says of a line that is not parsed yet whether it tells how much was delivered. */
function saysTotals(text: string): boolean {
  return text.startsWith('{"totals":');
}

/** The time in a line about what happened, as it is parsed; empty: it has none. A quote in a name is escaped. */
export function timeIn(text: string): string {
  return /"at":"([^"]*)"/.exec(text)?.[1] ?? '';
}

/** The activity of a line; null: it is about something else. */
export function activityIn(line: HistoryLine | null): Activity | null {
  return line === null || 'totals' in line ? null : line;
}

/**
 * Reads the lines of one file from byte `start` on, and where the next read begins: a last line that is not whole is
 * still being written, or was cut short by a crash. A file that is removed meanwhile has none.
 */
async function readLines(
  file: string,
  start = 0,
): Promise<{ readonly texts: readonly string[]; readonly end: number }> {
  const bytes = await readBytes(file, start);
  const whole = bytes.lastIndexOf(0x0a);
  if (whole === -1) return { texts: [], end: start };
  return { texts: bytes.toString('utf8', 0, whole).split('\n'), end: start + whole + 1 };
}

/** The bytes of a file from `start` on; none of one that was removed meanwhile. */
async function readBytes(file: string, start: number): Promise<Buffer> {
  const handle = await open(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw fileFault(error);
  });
  if (handle === null) return Buffer.alloc(0);
  try {
    const buffer = Buffer.alloc(Math.max(0, (await handle.stat()).size - start));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw fileFault(withPath(error, file));
  } finally {
    await handle.close();
  }
}

/** A line that is not parsed yet: parsing takes longest. */
interface UnreadLine {
  readonly text: string;
  readonly file: HistoryFile;
  /** How many lines are before it in its file. */
  readonly index: number;
  /** Where the whole lines of its file ended, bytes. */
  readonly fileEnd: number;
}

/** All that is written, newest first, or what is before a line that an earlier reader had last. */
export async function* linesBack(
  directory: string,
  before: Pick<UnreadLine, 'file' | 'index'> | null = null,
): AsyncGenerator<UnreadLine> {
  const slice = createTimeSlice();
  for (const file of (await listHistory(directory)).toReversed()) {
    if (before !== null && byAge(file, before.file) > 0) continue;
    const { texts, end } = await readLines(join(directory, file.name));
    const last = before?.file.name === file.name ? Math.min(before.index, texts.length) : texts.length;
    for (let index = last - 1; index >= 0; index -= 1) {
      yield { text: texts[index] ?? '', file, index, fileEnd: end };
      await slice();
    }
  }
}

/** The last totals that were written; nothing where there is no history, or none that can be read. */
export async function readTotals(stateDir: string): Promise<Totals> {
  try {
    for await (const { text } of linesBack(historyDirectory(stateDir))) {
      const totals = totalsIn(text);
      if (totals !== null) return totals;
    }
  } catch {
    // Nothing is known of it.
  }
  return noTotals;
}

/** The totals that a line tells; null: it tells none. */
export function totalsIn(text: string): Totals | null {
  const line = saysTotals(text) ? parseLine(text) : null;
  return line !== null && 'totals' in line ? line.totals : null;
}

interface PlaceFilter extends Omit<LogFilter, 'search'> {
  /** Documents, or directories with all that is in them; null: everything. */
  readonly places: readonly DocumentRef[] | null;
}

const pollMs = 500;

/**
 * What happened, oldest first, or the last `most` of it; a daemon may be writing it. With `isOver` also what happens
 * from now on, until it says so.
 */
export async function* readLog(
  stateDir: string,
  filter: PlaceFilter,
  {
    most = null,
    isOver = () => true,
  }: { readonly most?: number | null; readonly isOver?: () => boolean } = {},
): AsyncGenerator<Activity> {
  const directory = historyDirectory(stateDir);
  const matches = logMatcher({ ...filter, search: '' });
  const wanted = (text: string): Activity | null => {
    const activity = activityIn(parseLine(text));
    return activity !== null && matches(activity) && isIn(filter.places, activity) ? activity : null;
  };
  const slice = createTimeSlice();
  const read = new Map<string, number>();
  let oldest: HistoryFile | null = null;
  if (most !== null) {
    const last: Activity[] = [];
    for await (const { text, file, fileEnd } of linesBack(directory)) {
      oldest ??= file;
      if (file === oldest) read.set(file.name, fileEnd);
      const activity = wanted(text);
      if (activity !== null) last.push(activity);
      if (last.length === most) break;
    }
    yield* last.toReversed();
  }
  for (;;) {
    for (const file of await listHistory(directory)) {
      if (oldest !== null && byAge(file, oldest) < 0) continue;
      if (filter.since !== null && file.day < filter.since.slice(0, 10)) continue;
      const { texts, end } = await readLines(join(directory, file.name), read.get(file.name));
      read.set(file.name, end);
      for (const text of texts) {
        const activity = wanted(text);
        if (activity !== null) yield activity;
        await slice();
      }
    }
    if (isOver()) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function isIn(places: PlaceFilter['places'], { folder, path }: Activity): boolean {
  if (places === null) return true;
  return places.some((place) => folder === place.folder && isAtOrBelow(path, place.path));
}

/** What happened to one path, oldest first; what was moved away from there, too. */
export async function readPast(directory: string, ref: DocumentRef): Promise<readonly Activity[]> {
  const isMeant = isAbout(ref);
  // As a path ends in a line: only what has it somewhere is parsed.
  const end = `${inJson(ref.path)}"`;
  const found: Activity[] = [];
  for await (const { text } of linesBack(directory)) {
    const activity = text.includes(end) ? activityIn(parseLine(text)) : null;
    if (activity !== null && isMeant(activity)) found.push(activity);
  }
  return found.toReversed();
}

/** Makes the test for what happened to one path. */
export function isAbout(ref: DocumentRef): (activity: Activity) => boolean {
  const key = refKey(ref);
  return (activity) => refKey(activity) === key || activity.from === key;
}

/** Text as it stands between the quotes of a line. */
export function inJson(text: string): string {
  return printableJson(JSON.stringify(text)).slice(1, -1);
}

const quoted = String.raw`"((?:[^"\\]|\\.)*)"`;
const placePattern = new RegExp(`"folder":${quoted},"path":${quoted}`);
const fromPattern = new RegExp(`"from":${quoted}`);

/** `folder/path` of what a line is about, and of where it was moved from, as JSON has them. */
export function placesIn(text: string): readonly string[] {
  const [, folder, path] = placePattern.exec(text) ?? [];
  const [, from] = fromPattern.exec(text) ?? [];
  return [...(folder === undefined ? [] : [`${folder}/${path}`]), ...(from === undefined ? [] : [from])];
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
  for await (const { text, file, index } of linesBack(directory, cursorOf(query.before))) {
    if (query.since !== null && file.day < query.since.slice(0, 10)) break;
    const activity = activityIn(parseLine(text));
    if (activity !== null && isWanted(activity)) entries.push(activity);
    lines += 1;
    if (entries.length === mostEntries || lines === mostLines)
      return { entries, next: `${file.name}:${index}` };
  }
  return { entries, next: null };
}

function cursorOf(text: string | null): Pick<UnreadLine, 'file' | 'index'> | null {
  const [, name = '', index] = /^(.+):(\d+)$/.exec(text ?? '') ?? [];
  const file = historyFile(name);
  return file === null ? null : { file, index: Number(index) };
}
