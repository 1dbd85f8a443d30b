import type { Doubt } from '../../model/ports/ledger-port.ts';
import { longestList } from '../../model/report/status.ts';
import type { Status } from '../../model/report/status.ts';

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
