import { stat } from 'node:fs/promises';

import { listLedger } from './ledger-files.ts';
import type { LedgerListing } from './ledger-files.ts';
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
  const found = await readSteadily<Found>(
    dir,
    async (listing) => {
      if (await isFresh(listing)) return createLedgerData();
      return loadLedger(listing).then(
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
  dir: string,
  read: (listing: LedgerListing) => Promise<T>,
  good: (found: T) => boolean,
): Promise<T> {
  let before = await pictureOf(dir);
  for (let attempt = 1; ; attempt += 1) {
    const found = await read(before.listing);
    if (good(found) || attempt === TRIES) return found;
    const after = await pictureOf(dir);
    if (after.text === before.text) return found;
    before = after;
  }
}

async function pictureOf(dir: string): Promise<{ readonly listing: LedgerListing; readonly text: string }> {
  const listing = await listLedger(dir);
  const snapshot = await stat(listing.paths.snapshot).then(
    ({ ino, mtimeMs }) => `${ino} ${mtimeMs}`,
    () => '',
  );
  const { paths, journals, previous } = listing;
  return { listing, text: JSON.stringify([paths.fence, journals, previous, snapshot]) };
}
