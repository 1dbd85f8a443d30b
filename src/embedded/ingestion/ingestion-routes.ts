import type { IncomingHttpHeaders } from 'node:http';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { refusalStatus } from '../../lib/server/http-server.ts';
import { sameSecret } from '../../lib/server/login.ts';
import { sizeWords } from '../../lib/text/amounts.ts';
import type { AuthContext } from '../auth/auth-routes.ts';
import { errorEnvelope, RefusalError, sendRefusal, tooMany } from '../http/answers.ts';
import { bearerToken, headerOf, essenceOf, utf8Of } from '../http/read-request.ts';
import type { SlidingWindow } from '../http/sliding-window.ts';
import { bulkDelete, bulkModify, deleteDocument, modifyDocument, uploadDocument } from './operations.ts';
import type { IngestionContext } from './operations.ts';

/** The path prefix of the ingestion operations, interface section 4. */
export const ingestionPrefix = '/services/i/ingestion-api/v1';

const maxBulkBytes = 1024 * 1024;

interface IngestionRoutes {
  readonly context: IngestionContext;
  readonly auth: AuthContext;
  readonly window: SlidingWindow;
  /** For requests without a valid token: they take nothing from those of the account. */
  readonly strangersWindow: SlidingWindow;
}

/** A route with a document in its path. */
interface OneDocument {
  Params: { docId: string };
}

/**
 * The ingestion operations, interface 4.3 to 4.7: the rate first, of the account or of strangers, then the operation.
 */
export async function addIngestionRoutes(app: FastifyInstance, routes: IngestionRoutes): Promise<void> {
  const { context } = routes;
  const counted = { onRequest: countRequest(routes) };
  app.removeAllContentTypeParsers();
  // Forms are streamed by the operation, which also checks their type; JSON is small and read by a schema.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: maxBulkBytes },
    (_request, body, done) => done(null, body),
  );
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(async (_request, reply) =>
    reply.code(404).send(errorEnvelope('', 'no such operation')),
  );

  app.post('/upload-document', counted, async ({ raw }) => uploadDocument(context, raw));
  app.put<OneDocument>('/modify-document/:docId', counted, async ({ raw, params }) =>
    modifyDocument(context, params.docId, raw),
  );
  app.delete<OneDocument>('/delete-document/:docId', counted, async ({ params, query }) =>
    deleteDocument(context, params.docId, ownerOf(query)),
  );
  app.patch('/bulk/modify/metadata', counted, async (request) => bulkModify(context, jsonOf(request)));
  app.delete('/bulk/delete', counted, async (request) => bulkDelete(context, jsonOf(request)));
}

/** Counts a request as it arrives, before anything but its token is known. */
function countRequest({ auth, window, strangersWindow }: IngestionRoutes) {
  return async (request: FastifyRequest): Promise<void> => {
    const authorised = authoriseIngestion(auth, request.raw.headers);
    const isKnown = await authorised.then(
      () => true,
      () => false,
    );
    const waitMs = (isKnown ? window : strangersWindow).take();
    if (waitMs !== null) throw tooMany('too many requests', waitMs);
    await authorised;
  };
}

async function answerError(error: unknown, _request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if (error instanceof RefusalError)
    return sendRefusal(reply, error, errorEnvelope(error.docId, error.message));
  const status = refusalStatus(error);
  if (status === null) throw error;
  return reply.code(status).send(errorEnvelope('', wordsOf(status)));
}

function wordsOf(status: number): string {
  if (status === 413) return `the body is larger than ${sizeWords(maxBulkBytes)}`;
  if (status === 415) return 'the Content-Type is not the one of this operation';
  return 'the request is malformed';
}

function ownerOf(query: unknown): string | undefined {
  const owner = (query as { readonly documentOwner?: unknown }).documentOwner;
  if (owner === undefined) return undefined;
  if (typeof owner === 'string' && owner !== '') return owner;
  throw new RefusalError(400, 'documentOwner is empty or repeated');
}

function jsonOf(request: FastifyRequest): string {
  const accept = headerOf(request.raw.headers, 'accept') ?? '*/*';
  if (
    !accept
      .split(',')
      .some((range) => ['application/json', 'application/*', '*/*'].includes(essenceOf(range)))
  ) {
    throw new RefusalError(406, 'the answer is application/json, which the Accept header excludes');
  }
  if (essenceOf(request.raw.headers['content-type']) !== 'application/json') {
    throw new RefusalError(415, 'the body must be application/json');
  }
  return Buffer.isBuffer(request.body) ? utf8Of(request.body, 'the body') : '';
}

/**
 * Checks the token of an ingestion call and that it belongs to the client it names. Throws RefusalError, interface 5.4:
 * 401, 403 for another client.
 */
async function authoriseIngestion(context: AuthContext, headers: IncomingHttpHeaders): Promise<void> {
  const claims = await context.tokens.read(bearerToken(headers.authorization));
  if (context.tokens.isRevoked(claims)) throw refuse('the access token was revoked');
  if (claims.userId !== context.identity.userId)
    throw refuse('the access token names no user of this service');
  const clientId = headerOf(headers, 'clientid');
  if (clientId === undefined) throw refuse('the header ClientId is missing');
  if (!sameSecret(clientId, claims.clientId)) {
    throw new RefusalError(403, 'the header ClientId names another client than the access token');
  }
}

function refuse(message: string): RefusalError {
  return new RefusalError(401, message, { code: 'invalid_token' });
}
