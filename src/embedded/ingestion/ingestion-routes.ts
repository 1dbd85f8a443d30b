import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { FastifyInstance } from 'fastify';

import { sameSecret } from '../../lib/server/same-secret.ts';
import type { AuthContext } from '../auth/auth-routes.ts';
import { RefusalError } from '../http/answers.ts';
import { bearerToken, essenceOf, headerOf, readBody, utf8Of } from '../http/read-request.ts';
import { bulkDelete, bulkModify, deleteDocument, modifyDocument, uploadDocument } from './operations.ts';
import type { IngestionContext } from './operations.ts';

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
  app.addHook('onRequest', async ({ raw }) => {
    await authorise(auth, raw.headers);
    countRequest();
  });
  app.post('/upload-document', async ({ raw }) => uploadDocument(context, raw));
  app.put<OneDocument>('/modify-document/:docId', async ({ raw, params }) =>
    modifyDocument(context, params.docId, raw),
  );
  app.delete<OneDocument>('/delete-document/:docId', async ({ params, query }) =>
    deleteDocument(context, params.docId, ownerOf(query)),
  );
  app.patch('/bulk/modify/metadata', async ({ raw }) => bulkModify(context, await readJsonBody(raw)));
  app.delete('/bulk/delete', async ({ raw }) => bulkDelete(context, await readJsonBody(raw)));
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
