import { countDocuments, requireDocuments } from './bulk-documents.ts';
import type { Envelope } from './envelope.ts';
import { successEnvelope } from './envelope.ts';
import type { IngestionContext } from './ingestion-context.ts';
import { bulkDeleteSchema } from './metadata-schemas.ts';
import { readJson } from './read-json.ts';

/** Answers `DELETE /bulk/delete`, interface 4.7: all documents or none. Throws RefusalError. */
export async function bulkDelete({ store }: IngestionContext, text: string): Promise<Envelope> {
  const { docIds, documentOwner } = readJson(bulkDeleteSchema, { what: 'the body', text });
  await store.commit(() => {
    requireDocuments(store, docIds, documentOwner);
    return { remove: docIds, result: null };
  });
  return successEnvelope(docIds[0] ?? '', `${countDocuments(docIds.length)} deleted`);
}
