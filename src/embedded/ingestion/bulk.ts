import { applyMetadata } from '../documents/apply-metadata.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { bulkDeleteSchema, bulkModifySchema } from '../documents/metadata-schemas.ts';
import type { DocumentRecord } from '../documents/stored-document.ts';
import type { Envelope } from '../http/envelope.ts';
import { successEnvelope } from '../http/envelope.ts';
import { RefusalError } from '../http/refusal-error.ts';
import type { IngestionContext } from './ingestion-context.ts';
import { checkOwner, timeOf } from './ingestion-context.ts';
import { readJson } from './read-json.ts';

/** Answers `PATCH /bulk/modify/metadata`, interface 4.6: all documents or none. Throws RefusalError. */
export async function bulkModify({ store, clock }: IngestionContext, text: string): Promise<Envelope> {
  const { docIds, documentOwner, sourceType, ...change } = readJson(bulkModifySchema, {
    what: 'the body',
    text,
  });
  const warnings = await store.commit(() => {
    const modifiedAt = timeOf(clock);
    const warnings = new Set<string>();
    const put = requireDocuments(store, docIds, documentOwner).map((record) => {
      const applied = applyMetadata(record.metadata, change);
      for (const warning of applied.warnings) warnings.add(warning);
      return { ...record, metadata: applied.metadata, modifiedAt };
    });
    return { put, result: [...warnings] };
  });
  const unused = sourceType === undefined ? [] : ['sourceType is not changed in bulk'];
  return successEnvelope(docIds[0] ?? '', `${countDocuments(docIds.length)} modified`, [
    ...warnings,
    ...unused,
  ]);
}

/** Answers `DELETE /bulk/delete`, interface 4.7: all documents or none. Throws RefusalError. */
export async function bulkDelete({ store }: IngestionContext, text: string): Promise<Envelope> {
  const { docIds, documentOwner } = readJson(bulkDeleteSchema, { what: 'the body', text });
  await store.commit(() => {
    requireDocuments(store, docIds, documentOwner);
    return { remove: docIds, result: null };
  });
  return successEnvelope(docIds[0] ?? '', `${countDocuments(docIds.length)} deleted`);
}

/**
 * The documents of a bulk request, all of them, or a RefusalError about the first that is repeated (422), unknown (404)
 * or not of the stated owner (403).
 */
function requireDocuments(
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
function countDocuments(count: number): string {
  return `${count} ${count === 1 ? 'document' : 'documents'}`;
}
