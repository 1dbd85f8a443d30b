import { lineTags } from './snapshot-lines.ts';
import type { Capture, LedgerState } from './ledger-state.ts';
import type { DirectoryRows } from './record-table.ts';

/** The lines of a captured state, in order, each as JSON. What rows share comes right before the first that needs it. */
export function* snapshotRows({ store }: LedgerState, { rows, changes }: Capture): Generator<string> {
  const { table, contexts, shared } = store;
  const toldContexts = new Set<number>();
  const toldShared = new Set<number>();
  let told: DirectoryRows | undefined;
  for (const row of rows) {
    const { directory, name, contextId, sharedId } = table.place(row);
    if (directory !== told) {
      told = directory;
      yield JSON.stringify([lineTags.directory, directory.folder, directory.directory]);
    }
    if (!toldContexts.has(contextId)) {
      toldContexts.add(contextId);
      yield JSON.stringify([lineTags.context, contextId, contexts.text(contextId)]);
    }
    if (!toldShared.has(sharedId)) {
      toldShared.add(sharedId);
      yield `[${lineTags.shared},${sharedId},${shared.text(sharedId)}]`;
    }
    yield JSON.stringify([lineTags.record, name, contextId, sharedId, ...table.cells(row)]);
  }
  for (const change of changes) yield JSON.stringify(change);
}
