import type { Socket } from 'node:net';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { refusalStatus, unreadableAnswer } from '../../lib/server/http-server.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';

/** A refused request: status and message of the answer. */
export class RefusalError extends Error {
  readonly status: number;
  /** The document it is about, if it is about one. */
  readonly docId: string;
  /** OAuth's word for it, at the token endpoints. */
  readonly code: string;
  readonly retryAfterSeconds: number | null;

  constructor(
    status: number,
    message: string,
    {
      docId = '',
      code = 'invalid_request',
      retryAfterSeconds = null,
    }: Partial<Pick<RefusalError, 'docId' | 'code' | 'retryAfterSeconds'>> = {},
  ) {
    super(message);
    this.status = status;
    this.docId = docId;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Answers a refused request: its status, the headers that belong to it, and `body`. */
export function sendRefusal(reply: FastifyReply, error: RefusalError, body: object): FastifyReply {
  const { status, retryAfterSeconds } = error;
  if (retryAfterSeconds !== null) reply.header('Retry-After', String(retryAfterSeconds));
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer');
  return reply.code(status).send(body);
}

/** 429 with the whole seconds after which one more request passes. */
export function tooMany(message: string, waitMs: number): RefusalError {
  return new RefusalError(429, message, {
    code: 'too_many_requests',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}

/** Interface 2.10. */
export interface Envelope {
  readonly error: EnvelopeEntry;
  readonly success: EnvelopeEntry;
  readonly warning: EnvelopeEntry;
}

/** `docId` is empty where no document is concerned. */
type EnvelopeEntry = { readonly docId: string; readonly message: string } | null;

/** The answer to a successful ingestion call, with its warnings. */
export function successEnvelope(docId: string, message: string, warnings: readonly string[] = []): Envelope {
  return {
    error: null,
    success: { docId, message },
    warning: warnings.length === 0 ? null : { docId, message: warnings.join('; ') },
  };
}

/** The answer to a refused ingestion call, interface 7.3. */
export function errorEnvelope(docId: string, message: string): Envelope {
  return { error: { docId, message }, success: null, warning: null };
}

/** Goes with every answer; the page, which needs more, has a policy of its own. */
const securityHeaders = {
  'Content-Security-Policy': "default-src 'none'",
  'X-Content-Type-Options': 'nosniff',
} as const;

/** The fallbacks of all routes: the security headers, an error body for unknown paths, and 500 without details. */
export function addFallbacks(app: FastifyInstance, log: LogPort): void {
  app.addHook('onSend', async (_request, reply) => {
    reply.headers(securityHeaders);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, url } = request;
    log.debug({ method, path: url.split('?', 1)[0], status: reply.statusCode }, 'embedded service answered');
  });
  app.setNotFoundHandler(async (request, reply) =>
    reply.code(404).send(errorBody(request.url, 'not_found', 'no such operation')),
  );
  app.setErrorHandler(async (error: unknown, request, reply) => {
    const status = refusalStatus(error);
    if (status !== null) {
      return reply.code(status).send(errorBody(request.url, 'invalid_request', 'the request is malformed'));
    }
    log.error({ method: request.method, reason: errorMessage(error) }, 'embedded service failed');
    return reply.code(500).send(errorBody(request.url, 'server_error', 'internal error'));
  });
}

/** Answers a URL that the router cannot read: no hook and no handler sees it. */
export function answerBadUrl(_error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .code(400)
    .headers(securityHeaders)
    .send(errorBody(request.url, 'invalid_request', 'the URL is malformed'));
}

/** Answers bytes that are not HTTP, or a request that was too slow, and ends the connection. */
export function answerClientError(error: unknown, socket: Socket): void {
  if (errorCode(error) === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const body = JSON.stringify(errorEnvelope('', 'the request is malformed, too slow or too large'));
    const headers = { ...securityHeaders, 'Content-Type': 'application/json; charset=utf-8' };
    socket.write(unreadableAnswer(errorCode(error), headers, body));
  }
  socket.destroySoon();
}

/** The shape of an ingestion operation's failure, or of a token endpoint's. */
function errorBody(url: string, code: string, message: string): object {
  return url.startsWith('/services/')
    ? errorEnvelope('', message)
    : { error: code, error_description: message };
}
