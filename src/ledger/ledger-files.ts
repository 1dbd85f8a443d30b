import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../model/errors.ts';
import { unreadable } from './damage.ts';

const SNAPSHOT = 'ledger.json';
const PREVIOUS = 'ledger.previous.json';
const MARKER = 'ledger.used';
const JOURNAL = /^ledger\.journal\.([1-9]\d{0,14})$/;
/** Ends, with the version, the names of the files that an upgrade kept. */
export const KEPT_SUFFIX = '.v';
const KEPT = /^ledger\..*\.v\d+$/;
const TEMPORARY = /^ledger\..*\.tmp$/;

/** Paths of what the ledger keeps in the state directory. */
export interface LedgerPaths {
  readonly dir: string;
  /** The snapshot that is in force. */
  readonly snapshot: string;
  /** The one before it, whose journals are kept too. */
  readonly previous: string;
  /** Marks that a ledger was here: then a missing snapshot is damage. */
  readonly marker: string;
  readonly journal: (generation: number) => string;
  readonly temporary: (word: string) => string;
}

/** What is there. */
export interface LedgerListing {
  readonly snapshot: boolean;
  readonly previous: boolean;
  readonly marker: boolean;
  /** Generations that have a journal, in order. */
  readonly journals: readonly number[];
  /** Of older versions; absolute paths. Only kept for going back to an older version. */
  readonly kept: readonly string[];
  /** Left over from a crash; absolute paths. */
  readonly temporaries: readonly string[];
}

/** The paths of a state directory. */
export function ledgerPaths(dir: string): LedgerPaths {
  return {
    dir,
    snapshot: join(dir, SNAPSHOT),
    previous: join(dir, PREVIOUS),
    marker: join(dir, MARKER),
    journal: (generation) => join(dir, `ledger.journal.${generation}`),
    temporary: (word) => join(dir, `ledger.${word}.tmp`),
  };
}

/** What of the ledger is in a state directory; nothing where there is no such directory. */
export async function listLedger(dir: string): Promise<LedgerListing> {
  const names = await namesIn(dir);
  return {
    snapshot: names.includes(SNAPSHOT),
    previous: names.includes(PREVIOUS),
    marker: names.includes(MARKER),
    journals: names
      .flatMap((name) => JOURNAL.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b),
    kept: names.filter((name) => KEPT.test(name)).map((name) => join(dir, name)),
    temporaries: names.filter((name) => TEMPORARY.test(name)).map((name) => join(dir, name)),
  };
}

async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw unreadable(dir, error);
  }
}
