import type { RejectedRow } from './fill-state.ts';
import type { LedgerState } from './ledger-state.ts';

/**
 * Takes out all records whose docId another record has too: nobody can tell whose it is, and a modify or a deletion in
 * the name of the wrong one would fall on the other's document. They become failures that
 * say so, so that they are not uploaded again by themselves. Once, when the files are read.
 */
export function rejectDoubles({ store, side }: LedgerState): readonly RejectedRow[] {
  const { table } = store;
  const rejected: RejectedRow[] = [];
  for (const suspect of table.takeSuspects()) {
    // By chance only, or taken out with the others already.
    if (!table.isDouble(suspect)) continue;
    const { docId } = table.entry(suspect).record;
    for (let row = table.findByDocId(docId); row !== undefined; row = table.findByDocId(docId)) {
      rejected.push(takeOut(row));
    }
  }
  return rejected;

  function takeOut(row: number): RejectedRow {
    const { ref, record } = table.entry(row);
    const message = `its docId ${record.docId} is another document's too; the record was left out`;
    const history = [{ at: 0, operation: 'read ledger', code: 'double-doc-id', message }];
    const { stamp, context } = record;
    const failure = { code: 'double-doc-id', message, attempts: 1, history, stamp, context };
    store.drop(ref);
    side.apply({ kind: 'fail', ref, failure });
    return { ...ref, message };
  }
}
