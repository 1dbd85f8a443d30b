import type { DocumentStore } from './document-store.ts';
import { checkOwner } from './ingestion-context.ts';
import { RefusalError } from './refusal-error.ts';
import type { DocumentRecord } from './stored-document.ts';

/**
 * The documents of a bulk request, all of them, or a RefusalError about the first that is repeated (422), unknown (404)
 * or not of the stated owner (403).
 */
export function requireDocuments(
  store: DocumentStore,
  docIds: readonly string[],
  documentOwner: string | undefined,
): readonly DocumentRecord[] {
  const seen = new Set<string>();
  return docIds.map((docId) => {
    if (seen.has(docId)) throw new RefusalError(422, 'docIds names this document twice', { docId });
    seen.add(docId);
    const record = store.get(docId);
    if (record === undefined) throw new RefusalError(404, 'no such document; nothing was changed', { docId });
    checkOwner(record, documentOwner);
    return record;
  });
}

/** `1 document`, `2 documents`. */
export function countDocuments(count: number): string {
  return `${count} ${count === 1 ? 'document' : 'documents'}`;
}
