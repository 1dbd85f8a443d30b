import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream/promises';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { answerUnreadable } from '../../lib/server/http-server.ts';
import { errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';

/** A refused request: status and message of the answer. */
export class RefusalError extends Error {
  readonly status: number;
  /** The document it is about, if it is about one. */
  readonly docId: string;
  /** OAuth's word for it, at the token endpoints. */
  readonly code: string;
  /** Go with the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    {
      docId = '',
      code = status === 401 ? 'invalid_token' : 'invalid_request',
      headers = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {},
    }: Partial<Pick<RefusalError, 'docId' | 'code' | 'headers'>> = {},
  ) {
    super(message);
    this.status = status;
    this.docId = docId;
    this.code = code;
    this.headers = headers;
  }
}

/** The answer to a successful ingestion call, interface 2.10, with its warnings. */
export function successEnvelope(docId: string, message: string, warnings: readonly string[] = []) {
  return {
    error: null,
    success: { docId, message },
    warning: warnings.length === 0 ? null : { docId, message: warnings.join('; ') },
  };
}

/** The body of a refusal: the envelope of interface 7.3 at the ingestion operations, OAuth's at every other address. */
function refusalBody(url: string, { docId, code, message }: RefusalError): object {
  return /^(?:https?:\/\/[^/]*)?\/services\/i\/ingestion-api\/v1(?![^/?#%])/.test(url)
    ? { error: { docId, message }, success: null, warning: null }
    : { error: code, error_description: message };
}

/** Goes with every answer; the page, which needs more, has a policy of its own. */
const securityHeaders = {
  'Content-Security-Policy': "default-src 'none'",
  'X-Content-Type-Options': 'nosniff',
} as const;

/** For so long the rest of a body is awaited before its request is refused. */
const lingerMs = 1_000;

/** What was asked last on a connection. */
const asked = new WeakMap<Socket, string>();

/**
 * What holds for all routes: the security headers, an error body for unknown paths, 500 without details, and bodies that
 * are left to the routes. The framework would judge their type before it knows whether the route wants a body.
 */
export function addFallbacks(app: FastifyInstance, log: LogPort): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.addHook('onRequest', async (request) => {
    const { headers, httpVersion, socket } = request.raw;
    asked.set(socket, request.url);
    request.headers = { 'content-type': 'application/octet-stream' };
    if (headers.host === undefined && httpVersion === '1.1')
      throw new RefusalError(400, 'the Host header is missing');
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.headers(securityHeaders);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, url } = request;
    log.debug({ method, path: url.split('?', 1)[0], status: reply.statusCode }, 'embedded service answered');
  });
  app.setNotFoundHandler(async (request, reply) =>
    refuse(request, reply, new RefusalError(404, 'no such operation', { code: 'not_found' })),
  );
  app.setErrorHandler(async (error: unknown, request, reply) => {
    if (error instanceof RefusalError) return refuse(request, reply, error);
    log.error({ method: request.method, reason: errorMessage(error) }, 'embedded service failed');
    return refuse(request, reply, new RefusalError(500, 'internal error', { code: 'server_error' }));
  });
}

async function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  error: RefusalError,
): Promise<FastifyReply> {
  await passOver(request.raw);
  return reply.code(error.status).headers(error.headers).send(refusalBody(request.url, error));
}

/** Reads what is still to come of a body: a client whose connection is cut while it sends could not read the answer. */
async function passOver(body: IncomingMessage): Promise<void> {
  if (body.readableEnded || body.destroyed) return;
  body.resume();
  await finished(body, { writable: false, signal: AbortSignal.timeout(lingerMs) }).catch(() => {});
}

/** Answers a URL that the router cannot read: no hook and no handler sees it. */
export function answerBadUrl(_error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  void refuse(request, reply.headers(securityHeaders), new RefusalError(400, 'the URL is malformed'));
}

/** Answers bytes that are not HTTP, or a request that was too slow, and ends the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  const refusal = new RefusalError(400, 'the request is malformed, too slow or too large');
  const body = JSON.stringify(refusalBody(urlOf(error, socket), refusal));
  const headers = { ...securityHeaders, 'Content-Type': 'application/json; charset=utf-8' };
  answerUnreadable(error, socket, headers, body);
}

/** Where the request was to go whose bytes cannot be read: they begin with its line, or its body was being read. */
function urlOf(error: unknown, socket: Socket): string {
  const { rawPacket } = error as { readonly rawPacket?: Buffer };
  const line = /^[A-Z]+ (\S+)/.exec(rawPacket?.toString('latin1') ?? '');
  return line?.[1] ?? asked.get(socket) ?? '';
}
