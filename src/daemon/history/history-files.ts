import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

import { printableJson } from '../../lib/text/printable.ts';
import { errorCode } from '../../model/errors.ts';
import type { Activity, Status } from '../../model/report/status.ts';

/** What the history keeps of everything that was ever delivered from this state directory. */
export type Totals = Status['totals'];

/** Of a state directory from which nothing was delivered. */
export const noTotals: Totals = { uploaded: 0, modified: 0, deleted: 0, moved: 0, requests: 0, bytesSent: 0 };

/** One line of a history file. */
export type HistoryLine =
  | { readonly kind: 'activity'; readonly activity: Activity }
  | { readonly kind: 'totals'; readonly totals: Totals };

/** A file of the history: one day's, or a part of it. */
export interface HistoryFile {
  readonly name: string;
  /** `2026-01-31`, UTC. */
  readonly day: string;
  readonly part: number;
}

const namePattern = /^(\d{4}-\d{2}-\d{2})\.(\d{1,6})\.jsonl$/;

const count = z.number().nonnegative();
const lineSchema = z.union([
  z.object({
    at: z.string(),
    folder: z.string(),
    path: z.string(),
    what: z.string(),
    docId: z.string().nullable(),
    message: z.string().nullable(),
    documents: count,
  }),
  z.object({
    totals: z.object({
      uploaded: count,
      modified: count,
      deleted: count,
      moved: count,
      requests: count,
      bytesSent: count,
    }),
  }),
]);

/** Where the history of a state directory lies. */
export function historyDirectory(stateDir: string): string {
  return join(stateDir, 'history');
}

export function historyFileName({ day, part }: Pick<HistoryFile, 'day' | 'part'>): string {
  return `${day}.${part}.jsonl`;
}

/** The files of a history, oldest first; none where there is no history. */
export async function listHistory(directory: string): Promise<readonly HistoryFile[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const files = names.flatMap((name) => {
    const [, day, part] = namePattern.exec(name) ?? [];
    return day === undefined ? [] : [{ name, day, part: Number(part) }];
  });
  return files.toSorted((a, b) => (a.day === b.day ? a.part - b.part : a.day < b.day ? -1 : 1));
}

/** A line as it is written. */
export function lineText(line: HistoryLine): string {
  const value = line.kind === 'activity' ? line.activity : { totals: line.totals };
  return `${printableJson(JSON.stringify(value))}\n`;
}

/** Null: it is no line of a history. */
export function parseLine(text: string): HistoryLine | null {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(text));
    if (!parsed.success) return null;
    const { data } = parsed;
    return 'totals' in data ? { kind: 'totals', totals: data.totals } : { kind: 'activity', activity: data };
  } catch {
    return null;
  }
}

/**
 * Reads the lines of one file from byte `start` on, and where the next read begins: a last line that is not whole is
 * still being written, or was cut short by a crash. A file that is removed meanwhile has none.
 */
export async function readHistoryFile(
  file: string,
  start = 0,
): Promise<{ readonly lines: readonly HistoryLine[]; readonly end: number }> {
  const handle = await open(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return { lines: [], end: start };
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.max(0, size - start));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    const whole = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
    const texts = buffer.subarray(0, whole).toString('utf8').split('\n');
    return { lines: texts.map(parseLine).filter((line) => line !== null), end: start + whole };
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
    const last = read?.lines.findLast((line) => line.kind === 'totals');
    if (last?.kind === 'totals') return last.totals;
  }
  return noTotals;
}
