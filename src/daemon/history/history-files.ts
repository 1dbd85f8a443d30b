import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

import { readIfThere } from '../../lib/files/durable-file.ts';
import { orNull } from '../../lib/or-null.ts';
import { inNaturalOrder } from '../../lib/text/natural-order.ts';
import { printableJson } from '../../lib/text/printable.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { errorCode } from '../../model/errors.ts';
import { fileFault } from '../../model/report/file-fault.ts';
import { activitySchema, totalsSchema } from '../../model/report/status.ts';
import type { Activity } from '../../model/report/status.ts';

/** `2026-01-31.0.jsonl`: the day, UTC, and which part of it. */
const namePattern = /^\d{4}-\d{2}-\d{2}\.\d{1,6}\.jsonl$/;

/** Where the history of a state directory lies. */
export function historyDirectory(stateDir: string): string {
  return join(stateDir, 'history');
}

/** The names of a history's files, oldest first. Throws where there is no directory. */
export function historyFiles(directory: string): readonly string[] {
  return readdirSync(directory)
    .filter((name) => namePattern.test(name))
    .toSorted(inNaturalOrder);
}

/** A line as it is written: what happened, or how much was delivered until then. */
export function lineText(line: object): string {
  return `${printableJson(JSON.stringify(line))}\n`;
}

/** Takes a line; null: it does not say what is asked for. */
export type Reading<Said> = (line: string) => Said | null;

/** `mark`: lines without this text are not parsed, which takes longest. */
export function reading<Said>(mark: string, schema: z.ZodType<Said>): Reading<Said> {
  return (line) => (line.includes(mark) ? orNull(() => schema.parse(JSON.parse(line))) : null);
}

export const activityOf: Reading<Activity> = reading('"what":', activitySchema);
export const totalsOf = reading('"totals":', z.object({ totals: totalsSchema }));

/** What lines say, newest first; places are in the order in which they were written. */
type Lines<Said> = AsyncGenerator<{ readonly said: Said; readonly place: string }, undefined>;

/**
 * What is said in `unwritten`, lines that stand in no file, oldest first, and before that in the files of a state
 * directory. Whoever has read enough stops. Throws where files cannot be read.
 */
export async function* linesBack<Said>(
  stateDir: string,
  read: Reading<Said>,
  unwritten: readonly string[] = [],
): Lines<Said> {
  const slice = createTimeSlice(32);
  for await (const { file, lines } of partsBack(historyDirectory(stateDir), unwritten)) {
    for (let index = lines.length - 1; index >= 0; index -= 1) {
      const said = read(lines[index] ?? '');
      if (said !== null) yield { said, place: `${file}:${index}` };
      await slice();
    }
  }
}

/** A file that is removed meanwhile has no lines. */
async function* partsBack(directory: string, unwritten: readonly string[]) {
  yield { file: '', lines: unwritten };
  try {
    for (const file of historyFiles(directory).toReversed()) {
      const text = (await readIfThere(join(directory, file))) ?? '';
      // A last line that is not whole is still being written, or was cut short by a crash.
      yield { file, lines: text.split('\n').slice(0, -1) };
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw fileFault(error);
  }
}

/**
 * What happened to one file, under its former paths too, newest last, as far as `linesOf` goes back. What was moved away
 * from the path is part of it.
 */
export async function readPast(
  linesOf: (read: Reading<Activity>) => Lines<Activity>,
  ref: DocumentRef,
): Promise<readonly Activity[]> {
  let key = refKey(ref);
  let readKey = readingOf(key);
  const past: Activity[] = [];
  for await (const { said } of linesOf((line) => readKey(line))) {
    const { from } = said;
    const isThere = refKey(said) === key;
    if (isThere || from === key) past.push(said);
    if (isThere && from !== undefined) {
      key = from;
      readKey = readingOf(key);
    }
  }
  return past.toReversed();
}

/** Of lines in which the path of a `folder/path` ends. */
function readingOf(key: string): Reading<Activity> {
  const path = key.slice(key.indexOf('/') + 1);
  return reading(printableJson(JSON.stringify(path)).slice(1), activitySchema);
}
