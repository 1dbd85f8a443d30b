import { ledgerPaths } from './ledger-files.ts';
import { createLedgerState } from './ledger-state.ts';
import type { LedgerReader } from './ledger-state.ts';
import { isFresh, loadLedger } from './load-ledger.ts';
import { lookSteadily } from './look-steadily.ts';

type Found = { readonly reader: LedgerReader } | { readonly error: unknown };

/**
 * The ledger as it is at this moment, read beside whoever writes it; nothing is changed on disk. Empty where there
 * is none. Rejects with LedgerDamagedError.
 */
export async function readLedger(dir: string): Promise<LedgerReader> {
  const paths = ledgerPaths(dir);
  const found = await lookSteadily<Found>(
    paths,
    async (listing) => {
      if (await isFresh(paths, listing)) return createLedgerState();
      return loadLedger(paths, listing).then(
        ({ state }) => state,
        (error: unknown) => ({ error }),
      );
    },
    (found) => 'reader' in found,
  );
  if ('error' in found) throw found.error;
  return found.reader;
}
