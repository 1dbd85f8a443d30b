import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

import { withPath } from '../../lib/files/durable-file.ts';
import type { BootMoment } from '../../lib/time/boot-moment.ts';
import { orNull } from '../../lib/or-null.ts';
import { printableJson } from '../../lib/text/printable.ts';
import { refKey } from '../../model/document.ts';
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
export async function listHistory(directory: string): Promise<readonly HistoryFile[]> {
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
export function saysTotals(text: string): boolean {
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
export async function readHistoryFile(
  file: string,
  start = 0,
): Promise<{ readonly texts: readonly string[]; readonly end: number }> {
  const bytes = await readBytes(file, start);
  const whole = bytes.lastIndexOf(0x0a);
  if (whole === -1) return { texts: [], end: start };
  return { texts: bytes.toString('utf8', 0, whole).split('\n'), end: start + whole + 1 };
}

/** The last totals among the lines of a file; null: there are none. */
export function lastTotals(texts: readonly string[]): Totals | null {
  for (const text of texts.toReversed()) {
    const line = saysTotals(text) ? parseLine(text) : null;
    if (line !== null && 'totals' in line) return line.totals;
  }
  return null;
}

/** The bytes of a file from `start` up to `end`, or to its end; none of one that was removed meanwhile. */
async function readBytes(file: string, start: number, end?: number): Promise<Buffer> {
  const handle = await open(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw fileFault(error);
  });
  if (handle === null) return Buffer.alloc(0);
  try {
    const buffer = Buffer.alloc(Math.max(0, (end ?? (await handle.stat()).size) - start));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw fileFault(withPath(error, file));
  } finally {
    await handle.close();
  }
}

/** The last totals that were written; nothing where there is no history, or none that can be read. */
export async function readTotals(stateDir: string): Promise<Totals> {
  const directory = historyDirectory(stateDir);
  const files = await listHistory(directory).catch(() => []);
  for (const { name } of files.toReversed()) {
    const read = await readHistoryFile(join(directory, name)).catch(() => null);
    const totals = lastTotals(read?.texts ?? []);
    if (totals !== null) return totals;
  }
  return noTotals;
}

interface PlaceFilter extends Omit<LogFilter, 'search'> {
  /** Documents, or directories with all that is in them; null: everything. */
  readonly places: readonly DocumentRef[] | null;
}

const pollMs = 500;

/**
 * What happened, oldest first; a daemon may be writing it. With `isOver` also what happens from now on, until it says
 * so.
 */
export async function* readLog(
  stateDir: string,
  filter: PlaceFilter,
  isOver: () => boolean = () => true,
): AsyncGenerator<Activity> {
  const directory = historyDirectory(stateDir);
  const matches = logMatcher({ ...filter, search: '' });
  const positions = new Map<string, number>();
  for (;;) {
    for (const { name, day } of await listHistory(directory)) {
      if (filter.since !== null && day < filter.since.slice(0, 10)) continue;
      const { texts, end } = await readHistoryFile(join(directory, name), positions.get(name));
      positions.set(name, end);
      for (const text of texts) {
        const activity = activityIn(parseLine(text));
        if (activity !== null && matches(activity) && isIn(filter.places, activity)) yield activity;
      }
    }
    if (isOver()) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function isIn(places: PlaceFilter['places'], { folder, path }: Activity): boolean {
  if (places === null) return true;
  return places.some(
    (place) =>
      folder === place.folder &&
      (place.path === '' || path === place.path || path.startsWith(`${place.path}/`)),
  );
}

/** What happened to one path, oldest first; what was moved away from there, too. */
export async function readPast(directory: string, ref: DocumentRef): Promise<readonly Activity[]> {
  const isMeant = isAbout(ref);
  // As a path ends in a line: only what has it somewhere is parsed.
  const text = jsonText(ref.path).slice(1);
  const found: Activity[] = [];
  for (const { name } of await listHistory(directory)) {
    for (const line of linesWith(text, await readBytes(join(directory, name), 0))) {
      const activity = activityIn(parseLine(line));
      if (activity !== null && isMeant(activity)) found.push(activity);
    }
  }
  return found;
}

/**
 * Of each path about which a failure or a doubt was the last thing that happened: what was said, by `folder/path`. What
 * was moved away from a path happened to it, too.
 */
export async function readTroubles(directory: string): Promise<Map<string, string | null>> {
  const troubles = new Map<string, string | null>();
  /** Their paths and `folder/path`, as lines have them. */
  const known = new Set<string>();
  for (const { name } of await listHistory(directory)) {
    const bytes = await readBytes(join(directory, name), 0);
    // Most histories have none, and are not parsed for it.
    if (troubles.size === 0 && !troubleTexts.some((text) => bytes.includes(text))) continue;
    for (const line of linesOnTrouble(bytes.toString('utf8'), known)) {
      const activity = activityIn(parseLine(line));
      if (activity === null) continue;
      const key = refKey(activity);
      if (activity.from !== undefined) troubles.delete(activity.from);
      if (!isTrouble(activity)) troubles.delete(key);
      else {
        troubles.set(key, activity.message);
        for (const name of [activity.path, key]) known.add(jsonText(name));
      }
    }
  }
  return troubles;
}

/** The whole lines that say a trouble, or have one of these names as a path. Others are not parsed: that takes longest. */
function* linesOnTrouble(text: string, known: ReadonlySet<string>): Generator<string> {
  const telling = new RegExp(`"(?:path|from)":("(?:[^"\\\\\\n]|\\\\.)*")|${troubleTexts.join('|')}`, 'g');
  for (let match = telling.exec(text); match !== null; match = telling.exec(text)) {
    const [, name] = match;
    if (name !== undefined && !known.has(name)) continue;
    const end = text.indexOf('\n', match.index);
    if (end === -1) return;
    yield text.slice(text.lastIndexOf('\n', match.index) + 1, end);
    telling.lastIndex = end;
  }
}

function jsonText(text: string): string {
  return printableJson(JSON.stringify(text));
}

const troubleKinds = ['failed', 'in doubt'];
const troubleTexts = troubleKinds.map((what) => JSON.stringify({ what }).slice(1, -1));

function isTrouble({ what }: Activity): boolean {
  return troubleKinds.includes(what);
}

/** Makes the test for what happened to one path. */
export function isAbout(ref: DocumentRef): (activity: Activity) => boolean {
  const key = refKey(ref);
  return (activity) => refKey(activity) === key || activity.from === key;
}

function* linesWith(text: string, bytes: Buffer): Generator<string> {
  for (let at = bytes.indexOf(text); at !== -1;) {
    const end = bytes.indexOf(0x0a, at);
    if (end === -1) return;
    yield bytes.toString('utf8', bytes.lastIndexOf(0x0a, at) + 1, end);
    at = bytes.indexOf(text, end);
  }
}

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
  for (const found of (await listHistory(directory)).toReversed()) {
    const { name, day } = found;
    if (from !== null && byAge(found, from.file) > 0) continue;
    if (query.since !== null && day < query.since.slice(0, 10)) break;
    const file = join(directory, name);
    let end = from?.file.name === name ? from.end : await sizeOf(file);
    while (end > 0) {
      if (bytesRead >= mostBytes) return { entries, next: `${name}:${end}` };
      const piece = await readPiece(file, end);
      bytesRead += end - piece.start;
      for (const { text, start } of piece.lines) {
        const activity = activityIn(parseLine(text));
        if (activity === null || !isWanted(activity)) continue;
        entries.push(activity);
        if (entries.length === mostEntries) return { entries, next: `${name}:${start}` };
      }
      end = piece.start;
    }
  }
  return { entries, next: null };
}

/** `end`: bytes of that file that have not been read yet. */
function cursorOf(text: string | null) {
  const [, name = '', end] = /^(.+):(\d+)$/.exec(text ?? '') ?? [];
  const file = historyFile(name);
  return file === null ? null : { file, end: Number(end) };
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

/**
 * The lines before byte `end`, the last one first, and where they begin: what lies before has not been read. What
 * follows the last line break is still being written.
 */
async function readPiece(file: string, end: number) {
  const from = Math.max(0, end - pieceBytes);
  const bytes = await readBytes(file, from, end);
  const lines: { text: string; start: number }[] = [];
  let stop = bytes.lastIndexOf(0x0a);
  let start = from === 0 ? 0 : from + stop + 1;
  while (stop > 0) {
    const begin = bytes.lastIndexOf(0x0a, stop - 1) + 1;
    // The first line of a piece that does not begin the file may be a half.
    if (begin === 0 && from > 0) break;
    lines.push({ text: bytes.toString('utf8', begin, stop), start: from + begin });
    start = from + begin;
    stop = begin - 1;
  }
  // A line that is longer than a piece is none of ours.
  return { lines, start: start < end ? start : from };
}
