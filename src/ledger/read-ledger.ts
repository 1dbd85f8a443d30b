import { stat } from 'node:fs/promises';

import { listLedger, ledgerPaths } from './ledger-files.ts';
import type { LedgerListing, LedgerPaths } from './ledger-files.ts';
import { isFresh, loadLedger } from './load-ledger.ts';
import { createLedgerData } from './records/ledger-data.ts';
import type { LedgerReader } from './records/ledger-data.ts';

const TRIES = 5;

type Found = { readonly reader: LedgerReader } | { readonly error: unknown };

/**
 * The ledger as it is at this moment, read beside whoever writes it; nothing is changed on disk. Empty where there
 * is none. Rejects with LedgerDamagedError.
 */
export async function readLedger(dir: string): Promise<LedgerReader> {
  const paths = ledgerPaths(dir);
  const found = await readSteadily<Found>(
    paths,
    async (listing) => {
      if (await isFresh(paths, listing)) return createLedgerData();
      return loadLedger(paths, listing).then(
        ({ data }) => data,
        (error: unknown) => ({ error }),
      );
    },
    (found) => 'reader' in found,
  );
  if ('error' in found) throw found.error;
  return found.reader;
}

/**
 * Reads files that a running daemon may move meanwhile: repeats the read as long as its result is not `good` and
 * files have come or gone since it began.
 */
export async function readSteadily<T>(
  paths: LedgerPaths,
  read: (listing: LedgerListing) => Promise<T>,
  good: (found: T) => boolean,
): Promise<T> {
  let before = await pictureOf(paths);
  for (let attempt = 1; ; attempt += 1) {
    const found = await read(before.listing);
    if (good(found) || attempt === TRIES) return found;
    const after = await pictureOf(paths);
    if (after.text === before.text) return found;
    before = after;
  }
}

async function pictureOf(
  paths: LedgerPaths,
): Promise<{ readonly listing: LedgerListing; readonly text: string }> {
  const listing = await listLedger(paths.dir);
  const snapshot = await stat(paths.snapshot).then(
    ({ ino, mtimeMs }) => `${ino} ${mtimeMs}`,
    () => '',
  );
  const { journals, previous } = listing;
  return { listing, text: JSON.stringify([journals, previous, snapshot]) };
}
