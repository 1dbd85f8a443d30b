import type { Clock } from '../../lib/time/clock.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import { longestList } from '../../model/report/status.ts';
import type { DuplicateStatus } from '../../model/report/status.ts';

type Duplicates = Pick<LedgerPort, 'possibleDuplicates' | 'entries' | 'doubts'>;

/** Going over every record takes a while: as long as their sum is the same, it is done this seldom. */
const everyMs = 10_000;

/** Documents that the service may hold more than once: those of records first, then those of uploads in doubt. */
export function listDuplicates(ledger: Duplicates): readonly DuplicateStatus[] {
  const list: DuplicateStatus[] = [];
  if (ledger.possibleDuplicates() > 0) {
    for (const { ref, record } of ledger.entries()) {
      if (record.possibleDuplicates > 0) list.push({ ...ref, copies: record.possibleDuplicates });
      if (list.length === longestList) return list;
    }
  }
  const doubts = ledger.doubts().filter(({ count }) => count > 0);
  return [...list, ...doubts.map(({ ref, count }) => ({ ...ref, copies: count }))].slice(0, longestList);
}

/** The same for a status that is asked for several times a second. */
export function duplicateLister(ledger: Duplicates, clock: Clock): () => readonly DuplicateStatus[] {
  let known: { readonly sum: number; readonly at: number; readonly list: readonly DuplicateStatus[] } | null =
    null;
  return () => {
    const sum = ledger.doubts().reduce((total, { count }) => total + count, ledger.possibleDuplicates());
    const at = clock.monotonic();
    if (known === null || known.sum !== sum || at - known.at >= everyMs) {
      known = { sum, at, list: sum === 0 ? [] : listDuplicates(ledger) };
    }
    return known.list;
  };
}
