import type { Envelope } from '../http/envelope.ts';
import { successEnvelope } from '../http/envelope.ts';
import type { IngestionContext } from './ingestion-context.ts';
import { checkOwner, requireDocument } from './ingestion-context.ts';

/** Answers `DELETE /delete-document/{docId}`, interface 4.5. Throws RefusalError 404, 403. */
export async function deleteDocument(
  { store }: IngestionContext,
  docId: string,
  documentOwner: string | undefined,
): Promise<Envelope> {
  await store.commit(() => {
    checkOwner(requireDocument(store, docId), documentOwner);
    return { remove: [docId], result: null };
  });
  return successEnvelope(docId, 'document deleted');
}
