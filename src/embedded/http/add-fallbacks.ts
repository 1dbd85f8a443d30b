import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { refusalStatus, unreadableStatus } from '../../lib/server/client-error.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { errorEnvelope } from './answers.ts';

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
    const headers = Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
    const status = unreadableStatus(errorCode(error));
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}` +
        `Connection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}

/** The shape of an ingestion operation's failure, or of a token endpoint's. */
function errorBody(url: string, code: string, message: string): object {
  return url.startsWith('/services/')
    ? errorEnvelope('', message)
    : { error: code, error_description: message };
}
