import { appendFile, chmod, mkdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Clock } from '../../lib/time/clock.ts';
import { errorMessage } from '../../model/errors.ts';
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
  lineText,
  listHistory,
  parseLine,
  readHistoryFile,
  readBack,
} from './history-files.ts';
import type { HistoryFile, Totals } from './history-files.ts';

interface HistoryOptions {
  readonly stateDir: string;
  readonly clock: Clock;
  readonly log: LogPort;
  /** Takes what happened in the last day, oldest first, before this resolves. */
  readonly onPast: (activity: Activity) => void;
}

const dayMs = 24 * 3_600_000;
const keptDays = 30;
const mebibyte = 1024 * 1024;
const longestHistoryBytes = 64 * mebibyte;
/** Sixteen of them are the whole: when one is full, the oldest goes. */
const longestFileBytes = 4 * mebibyte;
const writeEveryMs = 1_000;
const recentCount = 300;
/** As much as a page or a terminal shows of one message. */
const longestMessage = 500;
/** Lines that wait for a disk that does not take them. */
const mostWaiting = 10_000;
/** Of them, as many as are shown. */
const mostUnwritten = 100;

export type History = Awaited<ReturnType<typeof openHistory>>;

/**
 * Opens what happened, kept over restarts: append-only files of JSON lines in the state directory, for 30 days and 64
 * MiB at the most. It is for people and decides nothing, so it is not synced to the disk, and a disk that does not take
 * it stops nothing. Never rejects: without a history nothing is lost but the past.
 */
export async function openHistory(options: HistoryOptions) {
  const { clock, log } = options;
  const directory = historyDirectory(options.stateDir);
  const past = await readPast(directory, options).catch((error: unknown): Past => {
    log.warn({ error: errorMessage(error) }, 'history cannot be read; starting a new one');
    return { totals: noTotals, recent: [] };
  });
  let recent = past.recent;
  const listeners = new Set<(activity: Activity) => void>();
  let current: (HistoryFile & { size: number }) | null = null;
  let totals = (): Totals => noTotals;
  let waiting: string[] = [];
  let writtenTotals = JSON.stringify(past.totals);
  let isComplaining = false;
  let writing = Promise.resolve();
  const changes = createChangeSignal(clock, writeEveryMs);
  changes.listen(() => {
    writing = writing.then(write);
  });

  async function write(): Promise<void> {
    const sum = addTotals(past.totals, totals());
    const text = JSON.stringify(sum);
    const lines = waiting;
    if (text !== writtenTotals) lines.push(lineText({ totals: sum }));
    if (lines.length === 0) return;
    waiting = [];
    const data = lines.join('');
    try {
      const file = await fileFor(Buffer.byteLength(data));
      await appendFile(join(directory, file.name), data, { mode: 0o600 });
      file.size += Buffer.byteLength(data);
      writtenTotals = text;
      isComplaining = false;
    } catch (error) {
      current = null;
      waiting = [...lines, ...waiting].slice(-mostWaiting);
      if (!isComplaining) log.warn({ error: errorMessage(error) }, 'history cannot be written');
      isComplaining = true;
    }
  }

  /** The file of this day with room for so many bytes; a new one where there is none. */
  async function fileFor(bytes: number): Promise<HistoryFile & { size: number }> {
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    if (current?.day === day && current.size + bytes <= longestFileBytes) return current;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const files = await listHistory(directory);
    const last = files.findLast((file) => file.day === day);
    const size = last === undefined ? 0 : (await stat(join(directory, last.name))).size;
    if (last !== undefined && current?.name !== last.name && size + bytes <= longestFileBytes) {
      current = { ...last, size: await endLine(join(directory, last.name)) };
      return current;
    }
    const part = (last?.part ?? -1) + 1;
    const name = historyFileName({ day, part });
    // The totals stand in each file, so that none of them is missed when older ones go.
    const first = lineText({ totals: addTotals(past.totals, totals()) });
    await writeFile(join(directory, name), first, { mode: 0o600 });
    current = { name, day, part, size: Buffer.byteLength(first) };
    await prune(directory, clock.now());
    return current;
  }

  return {
    /** What was delivered before this start, in all. */
    before: past.totals,
    add: (activity: Activity): void => {
      recent.push(activity);
      if (recent.length > recentCount * 2) recent = recent.slice(-recentCount);
      if (waiting.length >= mostWaiting) waiting.shift();
      waiting.push(lineText(cut(activity)));
      changes.note();
      for (const listener of listeners) listener(activity);
    },
    /** The last few hundred of what happened, before this start too; newest last. */
    recent: (): readonly Activity[] => recent.slice(-recentCount),
    /** Calls it with everything that is added from now on; what it returns ends that. */
    listen: (listener: (activity: Activity) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** A part of what happened, newest first, up to this moment. */
    readBack: async (query: LogQuery): Promise<LogPage> => {
      writing = writing.then(write);
      await writing;
      // Only what the disk does not take still waits.
      const unwritten = query.before === null ? waiting.map(parseLine).toReversed() : [];
      const newest = unwritten
        .map(activityIn)
        .filter((activity) => activity !== null)
        .filter(logMatcher(query))
        .slice(0, mostUnwritten);
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
    close: async (): Promise<void> => {
      changes.close();
      await writing;
      await write();
    },
  };
}

interface Past {
  readonly totals: Totals;
  /** Newest last. */
  readonly recent: Activity[];
}

async function readPast(directory: string, { clock, onPast }: HistoryOptions): Promise<Past> {
  let totals = noTotals;
  let recent: Activity[] = [];
  const yesterday = new Date(clock.now() - dayMs).toISOString();
  const files = await listHistory(directory);
  const fresh = files.filter(({ day }) => day >= yesterday.slice(0, 10));
  const wanted = fresh.length === 0 ? files.slice(-1) : fresh;
  for (const { name } of wanted) {
    for (const line of (await readHistoryFile(join(directory, name))).lines) {
      if ('totals' in line) totals = line.totals;
      else {
        recent.push(line);
        if (recent.length > recentCount * 2) recent = recent.slice(-recentCount);
        if (line.at >= yesterday) onPast(line);
      }
    }
  }
  return { totals, recent: recent.slice(-recentCount) };
}

/**
 * A line that a crash cut short is taken away, so that the next one is not glued to it. Gives the size that is left.
 */
async function endLine(file: string): Promise<number> {
  await chmod(file, 0o600);
  const { end } = await readHistoryFile(file);
  await truncate(file, end);
  return end;
}

/** Removes what is older than 30 days, and the oldest beyond 64 MiB. */
async function prune(directory: string, now: number): Promise<void> {
  const oldestDay = new Date(now - keptDays * dayMs).toISOString().slice(0, 10);
  let bytes = 0;
  for (const { name, day } of (await listHistory(directory)).toReversed()) {
    const file = join(directory, name);
    bytes += (await stat(file)).size;
    if (day < oldestDay || bytes > longestHistoryBytes - longestFileBytes) await rm(file, { force: true });
  }
}

/** Two sums of deliveries, added. */
export function addTotals(a: Totals, b: Totals): Totals {
  return {
    uploaded: a.uploaded + b.uploaded,
    modified: a.modified + b.modified,
    deleted: a.deleted + b.deleted,
    moved: a.moved + b.moved,
    requests: a.requests + b.requests,
    bytesSent: a.bytesSent + b.bytesSent,
  };
}

function cut(activity: Activity): Activity {
  const { message } = activity;
  if (message === null || message.length <= longestMessage) return activity;
  return { ...activity, message: `${message.slice(0, longestMessage)}…` };
}
