/** Interface section 8: documents in one bulk request. */
export const maxBulkDocuments = 250;

/** What may share a call with others. */
export interface Batchable {
  readonly docId: string;
  /** Equal keys share a call: the owner for deletions, `bulk.key` for modifies. Null: it goes out alone. */
  readonly key: string | null;
}

/**
 * Sorts operations into calls of at most 250 documents, each of one key and no docId twice. Nothing is lost: what
 * fits nowhere stands alone. Calls come in the order of their first document, documents in the order given.
 */
export function batches<T extends Batchable>(operations: readonly T[]): readonly (readonly T[])[] {
  const calls: T[][] = [];
  const open = new Map<string, OpenCall<T>>();
  for (const operation of operations) {
    const { key, docId } = operation;
    const call = key === null ? undefined : open.get(key);
    if (call !== undefined && call.members.length < maxBulkDocuments && !call.docIds.has(docId)) {
      call.members.push(operation);
      call.docIds.add(docId);
      continue;
    }
    const members = [operation];
    calls.push(members);
    if (key !== null) open.set(key, { members, docIds: new Set([docId]) });
  }
  return calls;
}

interface OpenCall<T> {
  readonly members: T[];
  readonly docIds: Set<string>;
}
