import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { AuthContext } from './auth-context.ts';
import { grantToken } from './grant-token.ts';
import { isRefusal } from '../http/refusal-error.ts';
import type { RequestLog, ServiceOperation } from '../http/request-log.ts';
import { revokeToken } from './revoke-token.ts';

const maxBodyBytes = 16 * 1024;

/** The token endpoints, interface 4.1 and 4.2, with OAuth's error bodies. */
export async function addAuthRoutes(
  app: FastifyInstance,
  { context, requestLog }: { readonly context: AuthContext; readonly requestLog: RequestLog },
): Promise<void> {
  readBodiesAsBytes(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('Cache-Control', 'no-store');
    const answered = requestLog.arrive(operationOf(request));
    reply.raw.once('finish', () => answered(reply.statusCode));
  });
  app.setErrorHandler(async (error: unknown, _request, reply) => {
    if (!isRefusal(error)) throw error;
    if (error.retryAfterSeconds !== null) reply.header('Retry-After', String(error.retryAfterSeconds));
    if (error.status === 401) reply.header('WWW-Authenticate', 'Bearer');
    return reply.code(error.status).send({ error: error.code, error_description: error.message });
  });
  app.post('/auth', async (request) =>
    grantToken(context, { headers: request.raw.headers, body: bodyOf(request) }),
  );
  app.post('/auth/token/revoke', async (request, reply) => {
    await revokeToken(context, { headers: request.raw.headers, body: bodyOf(request) });
    return reply.code(200).send();
  });
}

/**
 * Every body whatever its type: the rules of interface 7 answer for it, not the framework. A type that is no media
 * type at all would be refused before any parser is asked, so that it is put aside.
 */
function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('onRequest', async (request) => {
    if (!/^[\w.+-]+\/[\w.+-]+/.test(request.raw.headers['content-type'] ?? '')) {
      delete request.raw.headers['content-type'];
    }
  });
}

function bodyOf(request: FastifyRequest): Uint8Array {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

function operationOf(request: FastifyRequest): ServiceOperation {
  return request.url.includes('/revoke') ? 'revoke' : 'auth';
}
