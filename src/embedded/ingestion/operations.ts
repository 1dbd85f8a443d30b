import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type * as z from 'zod';
import { countWords } from '../../lib/text/amounts.ts';
import type { Clock } from '../../lib/time/clock.ts';
import type { DocumentStore, DocumentRecord } from '../documents/document-store.ts';
import {
  applyMetadata,
  uploadMetadataSchema,
  modifyMetadataSchema,
  bulkDeleteSchema,
  bulkModifySchema,
} from '../documents/metadata.ts';
import { RefusalError, successEnvelope } from '../http/answers.ts';
import type { Envelope } from '../http/answers.ts';
import { receiveForm } from '../form/receive-form.ts';

/** What the ingestion operations work with. */
export interface IngestionContext {
  readonly store: DocumentStore;
  readonly clock: Clock;
  /** Absolute path of the directory for the bytes of documents. */
  readonly content: string;
  readonly maxFileBytes: number;
  /** Owner of documents whose metadata names none. */
  readonly username: string;
}

/** The current time, ISO 8601, UTC. */
function timeOf(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** Finds a document. Throws RefusalError 404. */
function requireDocument(store: DocumentStore, docId: string): DocumentRecord {
  const record = store.get(docId);
  if (record === undefined) throw new RefusalError(404, 'no such document', { docId });
  return record;
}

/** Checks the owner that a request states, if any. Throws RefusalError 403. */
function checkOwner(record: DocumentRecord, documentOwner: string | undefined): void {
  if (documentOwner === undefined || documentOwner === record.owner) return;
  throw new RefusalError(403, `${JSON.stringify(documentOwner.slice(0, 100))} does not own this document`, {
    docId: record.docId,
  });
}

/**
 * Reads JSON by a schema. Throws RefusalError: 400 when it is no JSON, 422 when a field breaks a rule, which is named.
 * `what` it is, for the answer: `metadata`, `the body`.
 */
function readJson<T>(schema: z.ZodType<T>, what: string, text: string): T {
  const parsed = schema.safeParse(parse(what, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new RefusalError(422, `${what}: ${place}${issue?.message ?? 'not valid'}`.slice(0, 500));
}

function parse(what: string, text: string): unknown {
  const forbidden = new RefusalError(422, `${what}: the key __proto__ is unknown`);
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (key === '__proto__') throw forbidden;
      return value;
    });
  } catch (error) {
    if (error === forbidden) throw error;
    throw new RefusalError(400, `${what}: not valid JSON`);
  }
}

/** Answers `POST /upload-document`, interface 4.3: a new document. Throws RefusalError. */
export async function uploadDocument(context: IngestionContext, request: IncomingMessage): Promise<Envelope> {
  const { store, clock, username } = context;
  return receiveForm(request, context, async ({ file, attachments, metadata: text }) => {
    if (file === null) throw new RefusalError(400, 'the form has no part file');
    const change = readJson(uploadMetadataSchema, 'metadata', text ?? '{}');
    const { metadata, warnings } = applyMetadata({}, { ...change, shareInfo: change.shareInfo ?? {} });
    const docId = randomUUID();
    const owner = metadata.documentOwner ?? username;
    const uploadedAt = timeOf(clock);
    const document = { docId, owner, uploadedAt, modifiedAt: null, file, attachments, metadata };
    await store.commit(() => ({ put: [document], result: null }));
    return successEnvelope(docId, 'document uploaded', warnings);
  });
}

/**
 * Answers `PUT /modify-document/{docId}`, interface 4.4: content, attachments, metadata or all. Throws RefusalError.
 */
export async function modifyDocument(
  context: IngestionContext,
  docId: string,
  request: IncomingMessage,
): Promise<Envelope> {
  const { store, clock } = context;
  requireDocument(store, docId);
  try {
    return await receiveForm(request, context, async ({ file, attachments, metadata: text }) => {
      if (file === null && attachments.length === 0 && text === null) {
        throw new RefusalError(400, 'at least one of file, attachments and metadata is required');
      }
      const change = readJson(modifyMetadataSchema, 'metadata', text ?? '{}');
      const warnings = await store.commit(() => {
        const current = requireDocument(store, docId);
        const { metadata, warnings } = applyMetadata(current.metadata, change);
        const next = {
          ...current,
          owner: change.documentOwner ?? current.owner,
          modifiedAt: timeOf(clock),
          file: file ?? current.file,
          attachments: attachments.length > 0 ? attachments : current.attachments,
          metadata,
        };
        return { put: [next], result: warnings };
      });
      return successEnvelope(docId, 'document modified', warnings);
    });
  } catch (error) {
    // Whatever is wrong with the form, the answer says which document it was for.
    throw error instanceof RefusalError ? new RefusalError(error.status, error.message, { docId }) : error;
  }
}

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

/** Answers `PATCH /bulk/modify/metadata`, interface 4.6: all documents or none. Throws RefusalError. */
export async function bulkModify({ store, clock }: IngestionContext, text: string): Promise<Envelope> {
  const { docIds, documentOwner, sourceType, ...change } = readJson(bulkModifySchema, 'the body', text);
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
  const message = `${countWords(docIds.length, 'document')} modified`;
  return successEnvelope(docIds[0] ?? '', message, [...warnings, ...unused]);
}

/** Answers `DELETE /bulk/delete`, interface 4.7: all documents or none. Throws RefusalError. */
export async function bulkDelete({ store }: IngestionContext, text: string): Promise<Envelope> {
  const { docIds, documentOwner } = readJson(bulkDeleteSchema, 'the body', text);
  await store.commit(() => {
    requireDocuments(store, docIds, documentOwner);
    return { remove: docIds, result: null };
  });
  return successEnvelope(docIds[0] ?? '', `${countWords(docIds.length, 'document')} deleted`);
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
    const record = requireDocument(store, docId);
    checkOwner(record, documentOwner);
    return record;
  });
}
