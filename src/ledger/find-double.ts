import { refKey } from '../model/document.ts';
import type { LedgerState } from './ledger-state.ts';
import type { StoredChange } from './stored-change.ts';

/** Which docId each document has after commits that are on their way; null: its record is dropped. */
export type PendingDocIds = ReadonlyMap<string, string | null>;

/** What `changes` make of the documents they name, one after the other. */
export function docIdsAfter(changes: readonly StoredChange[]): PendingDocIds {
  const after = new Map<string, string | null>();
  for (const change of changes) {
    if (change.kind === 'put') after.set(refKey(change.ref), change.cells[0]);
    else if (change.kind === 'drop') after.set(refKey(change.ref), null);
  }
  return after;
}

/** A docId that two documents would have at once after `after`, which comes behind `pending`; null: none. */
export function findDouble(
  { reader, store }: LedgerState,
  pending: PendingDocIds,
  after: PendingDocIds,
): string | null {
  const taken = new Map<string, string>();
  for (const [key, docId] of pending) if (docId !== null && !after.has(key)) taken.set(docId, key);
  for (const [key, docId] of after) {
    if (docId === null) continue;
    if (taken.has(docId)) return docId;
    taken.set(docId, key);
    const owner = reader.findByDocId(docId);
    if (owner === undefined) continue;
    const ownerKey = refKey(owner);
    const stays = !after.has(ownerKey) && !pending.has(ownerKey);
    if (stays && ownerKey !== key && store.row(owner) !== undefined) return docId;
  }
  return null;
}
