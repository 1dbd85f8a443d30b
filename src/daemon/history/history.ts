import * as z from 'zod';

import { shortened } from '../../lib/text/printable.ts';
import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { activitySchema, noTotals } from '../../model/report/status.ts';
import type { Activity, Status } from '../../model/report/status.ts';
import { createChangeSignal } from '../../lib/time/change-signal.ts';
import { newLedgerCode } from '../preconditions/new-ledger.ts';
import {
  activityOf,
  historyDirectory,
  lineText,
  linesBack,
  reading,
  readPast,
  totalsOf,
} from './history-files.ts';
import type { Reading } from './history-files.ts';
import { createHistoryWriter } from './history-writer.ts';
import type { WriterOptions } from './history-writer.ts';

interface HistoryOptions extends WriterOptions {
  readonly stateDir: string;
  readonly log: LogPort;
  /** Takes what happened in the last day, oldest first, before this resolves. */
  readonly onPast: (activity: Activity) => void;
}

const dayMs = 24 * 3_600_000;
const retryMs = 1_000;
/** As much as a page or a terminal shows of one message. */
const longestMessage = 500;
/** As many are told at once. */
const mostTold = 100;
/** Lines that wait to be written: that one write takes, or that wait for a disk that refuses them. */
const mostWaiting = 1_000;

export type History = Awaited<ReturnType<typeof openHistory>>;

/**
 * Opens what happened, kept over restarts: append-only files of JSON lines in the state directory, for `log.keepDays`
 * and `log.keepMegabytes` at the most. What is added is with the system when the caller's turn ends: killed a moment
 * later, nothing of it is lost. It is for people and decides nothing, so it is not synced to the disk, and a disk that does
 * not take it stops nothing. Never rejects: without a history nothing is lost but the past.
 */
export async function openHistory(options: HistoryOptions) {
  const { stateDir, clock, log } = options;
  let before: Status['totals'] | null = null;
  const listeners = new Set<(activity: Activity) => void>();
  let delivered = (): Status['totals'] => noTotals;
  let waiting: string[] = [];
  let writtenTotals = JSON.stringify(noTotals);
  let isComplaining = false;
  const standing = () => ({ totals: totals(), open: [...open.values()] });
  const append = createHistoryWriter(historyDirectory(stateDir), options, standing);
  const retry = createChangeSignal(clock, retryMs);
  retry.listen(write);
  const { open, ...recent } = await readRecent(back(readLine), options);
  writtenTotals = JSON.stringify(totals());

  function readLine(line: string): Line | null {
    before ??= totalsOf(line)?.totals ?? null;
    return standingOf(line) ?? activityOf(line);
  }

  /** Of all that was ever delivered. */
  function totals(): Status['totals'] {
    const [until, since] = [before ?? noTotals, delivered()];
    const keys = Object.keys(noTotals) as (keyof typeof noTotals)[];
    return Object.fromEntries(keys.map((key) => [key, until[key] + since[key]])) as Status['totals'];
  }

  /** Which failure, doubt or hold is over with what happened. */
  function ended(activity: Activity): Pick<Activity, 'after'> {
    const subjects = subjectsOf(activity);
    const after = subjects.map((subject) => open.get(subject)?.what).find(isTrouble);
    for (const subject of subjects) open.delete(subject);
    const [subject] = subjects;
    if (subject === undefined || !begins(activity)) return after === undefined ? {} : { after };
    open.set(subject, activity);
    return {};
  }

  function write(): void {
    const sum = totals();
    const text = JSON.stringify(sum);
    const lines = [...waiting, ...(text === writtenTotals ? [] : [lineText({ totals: sum })])];
    if (lines.length === 0) return;
    try {
      append(lines.join(''));
      waiting = [];
      writtenTotals = text;
      isComplaining = false;
    } catch (error) {
      if (!isComplaining) log.warn({ error: errorMessage(error) }, 'history cannot be written');
      isComplaining = true;
      retry.note();
    }
  }

  /** All there is, of files and of what waits to be written; that files cannot be read ends it, and is logged. */
  async function* back<Said>(read: Reading<Said>): ReturnType<typeof linesBack<Said>> {
    write();
    try {
      yield* linesBack(stateDir, read, waiting);
    } catch (error) {
      log.warn({ error: errorMessage(error) }, 'history cannot be read');
    }
    return undefined;
  }

  return {
    totals,
    ...recent,
    add: (said: Activity): void => {
      const short = { ...said, message: said.message && shortened(said.message, longestMessage) };
      const activity = { ...short, ...ended(short) };
      waiting.push(lineText(activity));
      // What happens in one turn is written together, at its end; where the disk refuses it, with the retry that is due.
      if (!isComplaining && waiting.length === 1) queueMicrotask(write);
      if (!isComplaining && waiting.length === mostWaiting) write();
      if (waiting.length > mostWaiting) waiting.shift();
      for (const listener of listeners) listener(activity);
    },
    /** Failures, doubts and holds, problems and limits of which nobody said that they are over. */
    open: (): readonly Activity[] => [...open.values()].filter(({ what }) => what !== 'started'),
    /** Whether this was the last that was said of a path. */
    isTold: (ref: DocumentRef, message: string): boolean =>
      open.get(refKey(ref))?.message === shortened(message, longestMessage),
    /** Calls it with everything that is added from now on; what it returns ends that. */
    listen: (listener: (activity: Activity) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** What happened to one file, under its former paths too, newest last, as far as the history goes back. */
    past: (ref: DocumentRef) => readPast(back, ref),
    /** What happened last, newest first. */
    readBack: async (): Promise<readonly Activity[]> => {
      const happened: Activity[] = [];
      for await (const { said } of back(activityOf)) if (happened.push(said) === mostTold) break;
      return happened;
    },
    /** `since`: what was delivered since this start, asked for whenever something is written. */
    count: (since: () => Status['totals']): void => {
      delivered = since;
    },
    /** Writes what is left, and closes. */
    close: (): void => {
      retry.close();
      write();
    },
  };
}

/** How things stood when this started: what was said last of each subject, since a file said what was open. */
async function readRecent(lines: AsyncIterable<{ said: Line }>, { clock, onPast }: HistoryOptions) {
  const yesterday = new Date(clock.now() - dayMs).toISOString();
  const lastDay: Activity[] = [];
  const last = new Map<string, Activity>();
  let isWhole = false;
  for await (const { said } of lines) {
    isWhole ||= 'open' in said;
    if ('at' in said && said.at >= yesterday) lastDay.push(said);
    else if (isWhole && 'at' in said) break;
    for (const one of 'open' in said ? said.open.toReversed() : [said])
      for (const subject of subjectsOf(one)) if (!last.has(subject)) last.set(subject, one);
  }
  for (const activity of lastDay.toReversed()) onPast(activity);
  return {
    open: new Map([...last].filter(([, activity]) => begins(activity)).toReversed()),
    /** What was said last of a new ledger. */
    newLedger: [...last.values()].find(({ code }) => code === newLedgerCode),
    /** Whoever wrote here before this start did not stop, but was killed or lost its power. */
    wasKilled: last.get(run)?.what === 'started',
  };
}

const standingOf = reading('"open":', z.object({ open: z.array(activitySchema).readonly() }));

/** An entry, or what was open when a file was begun. */
type Line = Activity | NonNullable<ReturnType<typeof standingOf>>;

/** Whether it lasts until another entry says that it is over. */
function begins({ what }: Activity): boolean {
  return isTrouble(what) || isProblem(what) || what === 'started';
}

/** Whether it is about a document. */
function isTrouble(what: string | undefined): what is NonNullable<Activity['after']> {
  return what === 'failed' || what === 'in doubt' || what === 'held';
}

/** Whether it is about the daemon, a folder, or a place in it. */
export function isProblem(what: string): boolean {
  return what === 'problem' || what === 'limit';
}

const run = 'run';

/** After these, what failed has failed still. */
const passing: ReadonlySet<string> = new Set(['retried', 'warning', 'shared']);

/** What is no longer as was said of it before: a run, what is wrong at a place, a document by `folder/path`. */
function subjectsOf({ what, code, from, folder, path }: Activity): readonly string[] {
  if (what === 'started' || what === 'stopped') return [run];
  const fault = code === undefined ? [] : [JSON.stringify([folder, path, code])];
  if (path === '' || isProblem(what)) return fault;
  if (passing.has(what)) return [];
  const isEnd = what === 'recovered' || what === 'ended';
  return [refKey({ folder, path }), ...(isEnd ? fault : []), ...(from === undefined ? [] : [from])];
}
