import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../model/errors.ts';
import { unreadable } from './ledger-errors.ts';

const MARKER = 'ledger.used';
const TEMPORARY = /^ledger\..*\.tmp$/;
/** A file of the ledger whose holder has a fence: `ledger.f12.json`, `ledger.f12.journal.3`. */
const FENCED = /^ledger\.f([1-9]\d{0,14})\./;

export type LedgerPaths = ReturnType<typeof ledgerPaths>;

/**
 * Paths of the ledger's files in the state directory. `fence` is the number of their holder where hosts share the
 * directory, and 0 where they do not. Each holder writes files of its own: those that a former holder still writes are
 * not read.
 */
export function ledgerPaths(dir: string, fence: number) {
  const stem = join(dir, stemOf(fence));
  return {
    dir,
    fence,
    /** The snapshot that is in force. */
    snapshot: `${stem}.json`,
    /** The one before it, whose journals are kept too. */
    previous: `${stem}.previous.json`,
    /** Marks that a ledger was here, of whatever fence: then a missing snapshot is damage. */
    marker: join(dir, MARKER),
    /** Says that the fence is used. */
    claim: `${stem}.claim`,
    journal: (generation: number) => `${stem}.journal.${generation}`,
    temporary: (word: string) => `${stem}.${word}.tmp`,
  };
}

function stemOf(fence: number): string {
  return fence === 0 ? 'ledger' : `ledger.f${fence}`;
}

export type LedgerListing = Awaited<ReturnType<typeof listLedger>>;

/** What of the ledger is in a state directory, of the highest fence that has a snapshot; nothing: there is none. */
export async function listLedger(dir: string) {
  const names = await namesIn(dir);
  const fences = [...new Set(names.map(fenceOf))].sort((a, b) => b - a);
  const inForce =
    fences.find((fence) =>
      names.some((name) => [`${stemOf(fence)}.json`, `${stemOf(fence)}.previous.json`].includes(name)),
    ) ?? 0;
  const stem = stemOf(inForce);
  const files = names.filter((name) => !TEMPORARY.test(name));
  return {
    paths: ledgerPaths(dir, inForce),
    /** Of all names, with a snapshot or without; 0: none. */
    highestFence: fences[0] ?? 0,
    snapshot: names.includes(`${stem}.json`),
    previous: names.includes(`${stem}.previous.json`),
    marker: names.includes(MARKER),
    /** Generations that have a journal, in order. */
    journals: files.flatMap((name) => generationOf(name, stem) ?? []).sort((a, b) => a - b),
    /** Left over from a crash; absolute paths. */
    temporaries: names.filter((name) => TEMPORARY.test(name)).map((name) => join(dir, name)),
    /** Of other fences than the one in force; absolute paths. Nobody reads them. */
    others: files
      .filter((name) => fenceOf(name) !== inForce && isLedgerFile(name))
      .map((name) => join(dir, name)),
  };
}

/** Of a file name, without its directory; 0: of a ledger that nobody shares. */
export function fenceOf(name: string): number {
  return Number(FENCED.exec(name)?.[1] ?? 0);
}

function generationOf(name: string, stem: string): number | null {
  if (!name.startsWith(`${stem}.journal.`)) return null;
  const digits = name.slice(`${stem}.journal.`.length);
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : null;
}

function isLedgerFile(name: string): boolean {
  const stem = stemOf(fenceOf(name));
  const own = [`${stem}.json`, `${stem}.previous.json`, `${stem}.claim`];
  return own.includes(name) || generationOf(name, stem) !== null;
}

async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw unreadable(dir, error);
  }
}
