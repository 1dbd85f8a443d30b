import type { RejectedRow } from './fill-state.ts';
import type { LedgerState } from './ledger-state.ts';
import { createPacer } from './pacer.ts';

/**
 * Takes out records whose docId another record has too: nobody can tell whose it is. They become failures that
 * say so, so that they are not uploaded again by themselves.
 */
export async function rejectDoubles({ store, side }: LedgerState): Promise<readonly RejectedRow[]> {
  const { table } = store;
  const pace = createPacer();
  const doubles: number[] = [];
  for (const row of store.rows()) {
    if (table.isDouble(row)) doubles.push(row);
    const turn = pace();
    if (turn !== undefined) await turn;
  }
  return doubles.map((row) => {
    const { ref, record } = table.entry(row);
    const message = `its docId ${record.docId} is another document's too; the record was left out`;
    const history = [{ at: 0, operation: 'read ledger', code: 'double-doc-id', message }];
    const { stamp, context } = record;
    const failure = { code: 'double-doc-id', message, attempts: 1, history, stamp, context };
    store.drop(ref);
    side.apply({ kind: 'fail', ref, failure });
    return { ...ref, message };
  });
}
