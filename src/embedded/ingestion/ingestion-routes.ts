import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { sameSecret } from '../../lib/server/same-secret.ts';
import type { AuthContext } from '../auth/auth-routes.ts';
import { RefusalError, successEnvelope } from '../http/answers.ts';
import { bearerToken, essenceOf, headerOf, readBody, utf8Of } from '../http/read-request.ts';
import { randomUUID } from 'node:crypto';
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
import { receiveForm } from '../form/receive-form.ts';

/** The path prefix of the ingestion operations, interface section 4. */
export const ingestionPrefix = '/services/i/ingestion-api/v1';

const maxBulkBytes = 1024 * 1024;

/** A route with a document in its path. */
interface OneDocument {
  Params: { docId: string };
}

/**
 * The ingestion operations, interface 4.3 to 4.7: first the token, then the rate, of which a request without a good token
 * takes nothing, then the operation.
 */
export async function addIngestionRoutes(
  app: FastifyInstance,
  context: IngestionContext,
  auth: AuthContext,
  countRequest: () => void,
): Promise<void> {
  const { store } = context;
  app.addHook('onRequest', async ({ raw }) => {
    await authorise(auth, raw.headers);
    countRequest();
  });
  app.post('/upload-document', async ({ raw }) => uploadDocument(context, raw));
  app.put<OneDocument>('/modify-document/:docId', async ({ raw, params }) =>
    modifyDocument(context, params.docId, raw),
  );
  app.delete<OneDocument>('/delete-document/:docId', async ({ params: { docId }, query }) => {
    const owner = ownerOf(query);
    await store.commit(() => {
      requireDocuments(store, [docId], owner);
      return { remove: [docId], result: null };
    });
    return successEnvelope(docId, 'document deleted');
  });
  app.patch('/bulk/modify/metadata', async ({ raw }) => bulkModify(context, await readJsonBody(raw)));
  app.delete('/bulk/delete', async ({ raw }) => {
    const { docIds, documentOwner } = readJson(bulkDeleteSchema, 'the body', await readJsonBody(raw));
    await store.commit(() => {
      requireDocuments(store, docIds, documentOwner);
      return { remove: docIds, result: null };
    });
    return successEnvelope(docIds[0] ?? '', `${countWords(docIds.length, 'document')} deleted`);
  });
}

function ownerOf(query: unknown): string | undefined {
  const owner = (query as { readonly documentOwner?: unknown }).documentOwner;
  if (owner === undefined) return undefined;
  if (typeof owner === 'string' && owner !== '') return owner;
  throw new RefusalError(400, 'documentOwner is empty or repeated');
}

async function readJsonBody(request: IncomingMessage): Promise<string> {
  const accepted = (headerOf(request.headers, 'accept') ?? '*/*').split(',').map(essenceOf);
  if (!accepted.some((range) => ['application/json', 'application/*', '*/*'].includes(range))) {
    throw new RefusalError(406, 'the answer is application/json, which the Accept header excludes');
  }
  if (essenceOf(request.headers['content-type']) !== 'application/json') {
    throw new RefusalError(415, 'the body must be application/json');
  }
  return utf8Of(await readBody(request, maxBulkBytes), 'the body');
}

/**
 * Checks the token of an ingestion call and that it belongs to the client it names. Throws RefusalError, interface 5.4:
 * 401, 403 for another client.
 */
async function authorise({ tokens }: AuthContext, headers: IncomingHttpHeaders): Promise<void> {
  const claims = await tokens.read(bearerToken(headers.authorization));
  if (tokens.isRevoked(claims)) throw new RefusalError(401, 'the access token was revoked');
  const clientId = headerOf(headers, 'clientid');
  if (clientId === undefined) throw new RefusalError(401, 'the header ClientId is missing');
  if (!sameSecret(clientId, claims.clientId)) {
    throw new RefusalError(403, 'the header ClientId names another client than the access token');
  }
}

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

/**
 * Reads JSON by a schema. Throws RefusalError: 400 when it is no JSON, 422 when a field breaks a rule, which is named.
 * `what` it is, for the answer: `metadata`, `the body`.
 */
function readJson<T>(schema: z.ZodType<T>, what: string, text: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RefusalError(400, `${what}: not valid JSON`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new RefusalError(422, `${what}: ${place}${issue?.message ?? 'not valid'}`.slice(0, 500));
}

/** Answers `POST /upload-document`, interface 4.3: a new document. Throws RefusalError. */
async function uploadDocument(context: IngestionContext, request: IncomingMessage) {
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

/** Answers `PUT /modify-document/{docId}`, interface 4.4: content, attachments, metadata or all. Throws RefusalError. */
async function modifyDocument(context: IngestionContext, docId: string, request: IncomingMessage) {
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

/** Answers `PATCH /bulk/modify/metadata`, interface 4.6: all documents or none. Throws RefusalError. */
async function bulkModify({ store, clock }: IngestionContext, text: string) {
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

/**
 * The documents of a request, all of them, or a RefusalError about the first that is repeated (422), unknown (404) or not
 * of the owner that it states, if any (403).
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
    if (documentOwner === undefined || documentOwner === record.owner) return record;
    const shown = JSON.stringify(documentOwner.slice(0, 100));
    throw new RefusalError(403, `${shown} does not own this document`, { docId });
  });
}
