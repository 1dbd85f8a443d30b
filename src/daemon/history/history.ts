import type { Clock } from '../../lib/time/clock.ts';
import { shortened } from '../../lib/text/printable.ts';
import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { noTotals } from '../../model/report/status.ts';
import type { Activity } from '../../model/report/status.ts';
import type { Settings } from '../../model/settings.ts';
import { createChangeSignal } from '../../lib/time/change-signal.ts';
import { historyDirectory, lineText, linesBack, readPast } from './history-files.ts';
import type { Totals } from './history-files.ts';
import { createHistoryWriter } from './history-writer.ts';

interface HistoryOptions {
  readonly stateDir: string;
  readonly keeps: Pick<Settings['log'], 'keepDays' | 'keepMegabytes'>;
  readonly clock: Clock;
  readonly log: LogPort;
  /** Takes what happened in the last day, oldest first, before this resolves. */
  readonly onPast: (activity: Activity) => void;
}

const dayMs = 24 * 3_600_000;
/** A start reads the last day, and back so far at least: lines. */
const readAtStart = 8_192;
const retryMs = 1_000;
/** As much as a page or a terminal shows of one message. */
const longestMessage = 500;
/** Of one kind, or of any, as many are told at once, and are looked for no further back than so many lines. */
const mostTold = 100;
const mostLinesBack = 8_192;
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
  const { clock, log } = options;
  const directory = historyDirectory(options.stateDir);
  const past = await readRecent(directory, options).catch((error: unknown): Past => {
    log.warn({ error: errorMessage(error) }, 'history cannot be read; starting a new one');
    return { totals: noTotals, troubles: new Map(), openProblems: [], wasKilled: false };
  });
  const { troubles } = past;
  const listeners = new Set<(activity: Activity) => void>();
  let totals = (): Totals => noTotals;
  let waiting: Activity[] = [];
  let writtenTotals = JSON.stringify(past.totals);
  let isComplaining = false;
  let isWriteDue = false;
  const append = createHistoryWriter(directory, options, allTotals);
  const retry = createChangeSignal(clock, retryMs);
  retry.listen(write);

  function allTotals(): Totals {
    return addTotals(past.totals, totals());
  }

  function write(): void {
    isWriteDue = false;
    const sum = allTotals();
    const text = JSON.stringify(sum);
    const lines = [...waiting, ...(text === writtenTotals ? [] : [{ totals: sum }])];
    if (lines.length === 0) return;
    const data = Buffer.from(lines.map(lineText).join(''));
    try {
      append(data);
      waiting = [];
      writtenTotals = text;
      isComplaining = false;
    } catch (error) {
      if (!isComplaining) log.warn({ error: errorMessage(error) }, 'history cannot be written');
      isComplaining = true;
      retry.note();
    }
  }

  function unreadable(error: unknown): void {
    log.warn({ error: errorMessage(error) }, 'history cannot be read');
  }

  return {
    /** What was delivered before this start, in all. */
    before: past.totals,
    /** Whoever wrote here before this start did not stop, but was killed or lost its power. */
    wasKilled: past.wasKilled,
    openProblems: past.openProblems,
    add: (activity: Activity): void => {
      troubles.delete(refKey(activity));
      if (activity.from !== undefined) troubles.delete(activity.from);
      waiting.push(cut(activity));
      if (waiting.length >= mostWaiting && !isComplaining) write();
      if (waiting.length > mostWaiting) waiting.shift();
      // What happens in one turn is written together, at its end; where the disk refuses it, with the retry that is due.
      if (!isComplaining && !isWriteDue) {
        isWriteDue = true;
        queueMicrotask(write);
      }
      for (const listener of listeners) listener(activity);
    },
    /** Says once whether this was the last that was said of a path before this start. */
    isTold: (ref: DocumentRef, message: string): boolean => {
      const key = refKey(ref);
      const told = troubles.get(key);
      troubles.delete(key);
      return told === shortened(message, longestMessage);
    },
    /** Calls it with everything that is added from now on; what it returns ends that. */
    listen: (listener: (activity: Activity) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** What happened to one file, under its former paths too, newest last, as far as the history goes back. */
    past: (ref: DocumentRef): Promise<readonly Activity[]> => {
      write();
      return readPast(directory, ref, waiting, unreadable);
    },
    /** What happened last of one kind, or of any (''), newest first. */
    readBack: async (what: string): Promise<readonly Activity[]> => {
      write();
      const isWanted = (activity: Activity) => what === '' || activity.what === what;
      const happened = waiting.toReversed().filter(isWanted);
      const most = happened.length + mostTold;
      let lines = 0;
      try {
        for await (const { activity } of linesBack(directory)) {
          if (activity !== null && isWanted(activity)) happened.push(activity);
          lines += 1;
          if (happened.length === most || lines === mostLinesBack) break;
        }
      } catch (error) {
        unreadable(error);
      }
      return happened;
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
  /** The message of a failure or a doubt, where that was the last that happened to a path: by `folder/path`. */
  readonly troubles: Map<string, string | null>;
  /** Problems of the daemon itself of which nobody said that they are over. */
  readonly openProblems: readonly Activity[];
  readonly wasKilled: boolean;
}

const troubled: ReadonlySet<string> = new Set(['failed', 'in doubt']);

async function readRecent(directory: string, { clock, onPast }: HistoryOptions): Promise<Past> {
  const yesterday = new Date(clock.now() - dayMs).toISOString();
  const lastDay: Activity[] = [];
  /** What happened last to each path. */
  const last = new Map<string, Activity>();
  /** The same for each problem of the daemon itself, and its end: by folder and code. */
  const lastOfProblem = new Map<string, Activity>();
  let totals: Totals | null = null;
  let run: string | undefined;
  let lines = 0;
  for await (const { activity, totals: delivered } of linesBack(directory)) {
    totals ??= delivered;
    if (activity === null) continue;
    const { at, what, from } = activity;
    lines += 1;
    if (at >= yesterday) lastDay.push(activity);
    else if (lines > readAtStart) break;
    if (what === 'started' || what === 'stopped') run ??= what;
    if (what === 'problem' || what === 'recovered') {
      const problem = JSON.stringify([activity.folder, activity.code]);
      if (!lastOfProblem.has(problem)) lastOfProblem.set(problem, activity);
    }
    for (const place of [refKey(activity), ...(from === undefined ? [] : [from])])
      if (!last.has(place)) last.set(place, activity);
  }
  for (const activity of lastDay.toReversed()) onPast(activity);
  return {
    totals: totals ?? noTotals,
    troubles: new Map(
      [...last].filter(([, { what }]) => troubled.has(what)).map(([place, { message }]) => [place, message]),
    ),
    openProblems: [...lastOfProblem.values()].filter(({ what }) => what === 'problem'),
    wasKilled: run === 'started' || (run === undefined && lines > readAtStart),
  };
}

/** Two sums of deliveries, added. */
export function addTotals(a: Totals, b: Totals): Totals {
  const keys = Object.keys(noTotals) as (keyof Totals)[];
  return Object.fromEntries(keys.map((key) => [key, a[key] + b[key]])) as Totals;
}

function cut(activity: Activity): Activity {
  const { message } = activity;
  return message === null ? activity : { ...activity, message: shortened(message, longestMessage) };
}
