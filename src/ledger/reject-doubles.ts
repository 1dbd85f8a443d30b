import type { RejectedRow } from './fill-state.ts';
import type { LedgerState } from './ledger-state.ts';

/**
 * Takes out records whose docId another record has too: nobody can tell whose it is. They become failures that
 * say so, so that they are not uploaded again by themselves. Once, when the files are read.
 */
export function rejectDoubles({ store, side }: LedgerState): readonly RejectedRow[] {
  const { table } = store;
  const rejected: RejectedRow[] = [];
  for (const row of table.takeSuspects()) {
    // Where the other one has just been taken out, this one is double no more.
    if (!table.isDouble(row)) continue;
    const { ref, record } = table.entry(row);
    const message = `its docId ${record.docId} is another document's too; the record was left out`;
    const history = [{ at: 0, operation: 'read ledger', code: 'double-doc-id', message }];
    const { stamp, context } = record;
    const failure = { code: 'double-doc-id', message, attempts: 1, history, stamp, context };
    store.drop(ref);
    side.apply({ kind: 'fail', ref, failure });
    rejected.push({ ...ref, message });
  }
  return rejected;
}
