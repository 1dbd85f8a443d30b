import type { Clock } from '../../lib/time/clock.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { RefusalError } from '../http/refusal-error.ts';
import type { DocumentRecord } from '../documents/stored-document.ts';

/** What the ingestion operations work with. */
export interface IngestionContext {
  readonly store: DocumentStore;
  readonly clock: Clock;
  /** Absolute path of the incoming directory. */
  readonly incoming: string;
  readonly maxFileBytes: number;
  /** Owner of documents whose metadata names none. */
  readonly username: string;
}

/** The moment, ISO 8601, UTC. */
export function timeOf(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** A document that is there. Throws RefusalError 404. */
export function requireDocument(store: DocumentStore, docId: string): DocumentRecord {
  const record = store.get(docId);
  if (record === undefined) throw new RefusalError(404, 'no such document', { docId });
  return record;
}

/** Checks an owner that a request states; none stated is right. Throws RefusalError 403. */
export function checkOwner(record: DocumentRecord, documentOwner: string | undefined): void {
  if (documentOwner === undefined || documentOwner === record.owner) return;
  throw new RefusalError(403, `${JSON.stringify(documentOwner.slice(0, 100))} does not own this document`, {
    docId: record.docId,
  });
}
