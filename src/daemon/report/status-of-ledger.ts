import type { Clock } from '../../lib/time/clock.ts';
import type { LedgerPort, Doubt } from '../../model/ports/ledger-port.ts';
import { longestList } from '../../model/report/status.ts';
import type { DuplicateStatus, Status } from '../../model/report/status.ts';
import type { Settings } from '../../model/settings.ts';

/** Uploads in doubt as a status lists them. */
export function listDoubts(doubts: readonly Doubt[]): Pick<Status, 'inDoubt' | 'inDoubtTotal'> {
  const inDoubt = doubts.slice(0, longestList).map(({ ref, since, count, message }) => ({
    ...ref,
    since: new Date(since).toISOString(),
    count,
    message,
  }));
  return { inDoubt, inDoubtTotal: doubts.length };
}

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

/** Folders with documents that the configuration does not name any more: nobody watches them, and they stay. */
export function unconfigured(
  ledger: Pick<LedgerPort, 'folders' | 'count'>,
  { folders }: Pick<Settings, 'folders'>,
): Pick<Status, 'unconfigured'> {
  const others = ledger.folders().filter((name) => folders.every((folder) => folder.name !== name));
  if (others.length === 0) return {};
  return { unconfigured: others.map((name) => ({ name, documents: ledger.count(name) })) };
}
