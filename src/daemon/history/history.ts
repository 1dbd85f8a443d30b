import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import type { Clock } from '../../lib/time/clock.ts';
import { orNull } from '../../lib/or-null.ts';
import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { logMatcher } from '../../model/report/log-query.ts';
import type { LogPage, LogQuery } from '../../model/report/log-query.ts';
import { noTotals } from '../../model/report/status.ts';
import type { Activity } from '../../model/report/status.ts';
import { createChangeSignal } from '../../lib/time/change-signal.ts';
import {
  activityIn,
  historyDirectory,
  historyFileName,
  historyFiles,
  isAbout,
  lastTotals,
  lineText,
  listHistory,
  parseLine,
  readHistoryFile,
  readBack,
  readPast,
  readTroubles,
  saysTotals,
  timeIn,
} from './history-files.ts';
import type { HistoryFile, Totals } from './history-files.ts';

interface HistoryOptions {
  readonly stateDir: string;
  readonly clock: Clock;
  readonly log: LogPort;
  /** Takes what happened in the last day, oldest first, before this resolves. */
  readonly onPast: (activity: Activity) => void;
  /** Whether `isTold` will be asked: for that all of the history is read. */
  readonly knowsTroubles: boolean;
}

const dayMs = 24 * 3_600_000;
const keptDays = 30;
const mebibyte = 1024 * 1024;
const longestHistoryBytes = 64 * mebibyte;
/** Sixteen of them are the whole: when one is full, the oldest goes. */
const longestFileBytes = 4 * mebibyte;
/** Lines that one write takes. */
const mostAtOnce = 1_000;
const retryMs = 1_000;
const recentCount = 300;
/** As much as a page or a terminal shows of one message. */
const longestMessage = 500;
/** Lines that wait for a disk that refuses them. */
const mostWaiting = 10_000;
/** Of them, as many as are shown. */
const mostUnwritten = 100;

export type History = Awaited<ReturnType<typeof openHistory>>;

/**
 * Opens what happened, kept over restarts: append-only files of JSON lines in the state directory, for 30 days and 64
 * MiB at the most. What is added is with the system when the caller's turn ends: killed a moment later, nothing of it is
 * lost. It is for people and decides nothing, so it is not synced to the disk, and a disk that does not take it stops
 * nothing. Never rejects: without a history nothing is lost but the past.
 */
export async function openHistory(options: HistoryOptions) {
  const { clock, log } = options;
  const directory = historyDirectory(options.stateDir);
  const past = await readLastDay(directory, options).catch((error: unknown): Past => {
    log.warn({ error: errorMessage(error) }, 'history cannot be read; starting a new one');
    return { totals: noTotals, recent: [] };
  });
  const troubles = options.knowsTroubles
    ? await readTroubles(directory).catch(() => new Map<string, string | null>())
    : new Map<string, string | null>();
  let recent = past.recent;
  const listeners = new Set<(activity: Activity) => void>();
  let current: (HistoryFile & { size: number }) | null = null;
  let totals = (): Totals => noTotals;
  let waiting: string[] = [];
  let writtenTotals = JSON.stringify(past.totals);
  let isComplaining = false;
  let isWriteDue = false;
  const retry = createChangeSignal(clock, retryMs);
  retry.listen(write);

  /** What happens in one turn is written together, at its end. */
  function writeSoon(): void {
    // The retry that is due takes it.
    if (isComplaining) return;
    if (waiting.length >= mostAtOnce) write();
    else if (!isWriteDue) {
      isWriteDue = true;
      queueMicrotask(write);
    }
  }

  function write(): void {
    isWriteDue = false;
    const sum = addTotals(past.totals, totals());
    const text = JSON.stringify(sum);
    const newTotals = text === writtenTotals ? [] : [lineText({ totals: sum })];
    if (waiting.length + newTotals.length === 0) return;
    const data = Buffer.from([...waiting, ...newTotals].join(''));
    try {
      append(fileFor(data.length), data);
      waiting = [];
      writtenTotals = text;
      isComplaining = false;
    } catch (error) {
      current = null;
      waiting = waiting.slice(-mostWaiting);
      if (!isComplaining) log.warn({ error: errorMessage(error) }, 'history cannot be written');
      isComplaining = true;
      retry.note();
    }
  }

  /** Only what the disk does not take waits after a write. */
  function unwritten(): readonly Activity[] {
    return waiting.map((line) => activityIn(parseLine(line))).filter((activity) => activity !== null);
  }

  /** All of it or nothing. */
  function append(file: HistoryFile & { size: number }, data: Buffer): void {
    const path = join(directory, file.name);
    try {
      appendFileSync(path, data, { mode: 0o600 });
    } catch (error) {
      orNull(() => truncateSync(path, file.size));
      throw error;
    }
    file.size += data.length;
  }

  /**
   * The file of this day with room for so many bytes; a new one where there is none. Where the clock was set back, the
   * last file's day goes on: the order of the files is the order in which things happened.
   */
  function fileFor(bytes: number): HistoryFile & { size: number } {
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    if (current !== null && current.day >= today && current.size + bytes <= longestFileBytes) return current;
    makeOwnDirectory(directory);
    const last = historyFiles(readdirSync(directory)).at(-1);
    const goesOn = last !== undefined && last.day >= today;
    const size = goesOn ? statSync(join(directory, last.name)).size : 0;
    if (goesOn && current?.name !== last.name && size + bytes <= longestFileBytes) {
      current = { ...last, size: endLine(join(directory, last.name)) };
      return current;
    }
    const { day, part } = goesOn ? { day: last.day, part: last.part + 1 } : { day: today, part: 0 };
    const name = historyFileName({ day, part });
    // The totals stand in each file, so that none of them is missed when older ones go.
    const sinceBoot = clock.sinceBoot?.() ?? undefined;
    const first = lineText({ totals: addTotals(past.totals, totals()), sinceBoot });
    writeFileSync(join(directory, name), first, { mode: 0o600 });
    current = { name, day, part, size: Buffer.byteLength(first) };
    prune(directory, clock);
    return current;
  }

  return {
    /** What was delivered before this start, in all. */
    before: past.totals,
    add: (activity: Activity): void => {
      troubles.delete(refKey(activity));
      if (activity.from !== undefined) troubles.delete(activity.from);
      recent.push(activity);
      if (recent.length > recentCount * 2) recent = recent.slice(-recentCount);
      waiting.push(lineText(cut(activity)));
      if (isComplaining && waiting.length > mostWaiting) waiting.shift();
      writeSoon();
      for (const listener of listeners) listener(activity);
    },
    /** Says once whether this was the last that was said of a path before this start. */
    isTold: (ref: DocumentRef, message: string): boolean => {
      const last = troubles.get(refKey(ref));
      troubles.delete(refKey(ref));
      return last !== undefined && last === shortened(message);
    },
    /** The last few hundred of what happened, before this start too; newest last. */
    recent: (): readonly Activity[] => recent.slice(-recentCount),
    /** Calls it with everything that is added from now on; what it returns ends that. */
    listen: (listener: (activity: Activity) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** What happened to one path, newest last, as far as the history goes back. */
    past: async (ref: DocumentRef): Promise<readonly Activity[]> => {
      write();
      const written = await readPast(directory, ref).catch((error: unknown) => {
        log.warn({ error: errorMessage(error) }, 'history cannot be read');
        return [];
      });
      return [...written, ...unwritten().filter(isAbout(ref))];
    },
    /** A part of what happened, newest first, up to this moment. */
    readBack: async (query: LogQuery): Promise<LogPage> => {
      write();
      const newest =
        query.before === null
          ? unwritten().toReversed().filter(logMatcher(query)).slice(0, mostUnwritten)
          : [];
      const { entries, next } = await readBack(directory, query).catch((error: unknown) => {
        log.warn({ error: errorMessage(error) }, 'history cannot be read');
        return { entries: [], next: null };
      });
      return { entries: [...newest, ...entries], next };
    },
    /** `delivered`: what was delivered since this start, asked for whenever something is written. */
    count: (delivered: () => Totals): void => {
      totals = delivered;
    },
    /** Writes what is left, and closes. */
    close: (): void => {
      retry.close();
      write();
    },
  };
}

interface Past {
  readonly totals: Totals;
  /** Newest last. */
  readonly recent: Activity[];
}

async function readLastDay(directory: string, { clock, onPast }: HistoryOptions): Promise<Past> {
  let totals = noTotals;
  let recent: Activity[] = [];
  const yesterday = new Date(clock.now() - dayMs).toISOString();
  const files = await listHistory(directory);
  const fresh = files.filter(({ day }) => day >= yesterday.slice(0, 10));
  const wanted = fresh.length === 0 ? files.slice(-1) : fresh;
  for (const { name } of wanted) {
    const { texts } = await readHistoryFile(join(directory, name));
    // Where the clock was set back the last of them is in an older file.
    totals = highestTotals(totals, lastTotals(texts) ?? noTotals);
    for (const [index, text] of texts.entries()) {
      if (saysTotals(text)) continue;
      const isOfLastDay = timeIn(text) >= yesterday;
      // Parsing takes longest.
      if (!isOfLastDay && index < texts.length - recentCount * 2) continue;
      const activity = activityIn(parseLine(text));
      if (activity === null) continue;
      recent.push(activity);
      if (recent.length > recentCount * 2) recent = recent.slice(-recentCount);
      if (isOfLastDay) onPast(activity);
    }
  }
  return { totals, recent: recent.slice(-recentCount) };
}

/** Not those above it: a state directory that was taken away comes back as it was, or not at all. */
function makeOwnDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
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

/** Removes what is older than 30 days, and the oldest beyond 64 MiB. */
function prune(directory: string, clock: Clock): void {
  const oldestDay = new Date(clock.now() - keptDays * dayMs).toISOString().slice(0, 10);
  let bytes = 0;
  for (const { name, day } of historyFiles(readdirSync(directory)).toReversed()) {
    const file = join(directory, name);
    bytes += statSync(file).size;
    const isOld = day < oldestDay && !isOfTheseDays(file, clock);
    if (isOld || bytes > longestHistoryBytes - longestFileBytes) rmSync(file, { force: true });
  }
}

/** Whether a file was begun within 30 days, whatever the clock said then: it is known since the machine was booted. */
function isOfTheseDays(file: string, { sinceBoot }: Clock): boolean {
  const now = sinceBoot?.() ?? null;
  const [first = ''] = readFileSync(file, 'utf8').split('\n', 1);
  const line = parseLine(first);
  const begun = line !== null && 'totals' in line ? line.sinceBoot : undefined;
  if (now === null || begun?.bootId !== now.bootId) return false;
  return now.ms - begun.ms < keptDays * dayMs;
}

/** Two sums of deliveries, added. */
export function addTotals(a: Totals, b: Totals): Totals {
  return joinTotals(a, b, (one, other) => one + other);
}

/** The later of two sums: none of them ever gets smaller. */
function highestTotals(a: Totals, b: Totals): Totals {
  return joinTotals(a, b, Math.max);
}

function joinTotals(a: Totals, b: Totals, combine: (one: number, other: number) => number): Totals {
  return {
    uploaded: combine(a.uploaded, b.uploaded),
    modified: combine(a.modified, b.modified),
    deleted: combine(a.deleted, b.deleted),
    moved: combine(a.moved, b.moved),
    requests: combine(a.requests, b.requests),
    bytesSent: combine(a.bytesSent, b.bytesSent),
  };
}

function cut(activity: Activity): Activity {
  const { message } = activity;
  return message === null ? activity : { ...activity, message: shortened(message) };
}

function shortened(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage)}…`;
}
