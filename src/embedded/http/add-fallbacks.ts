import type { FastifyInstance } from 'fastify';

import { errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';

/** What holds for every address: nosniff, JSON for what is not there, and 500 without its inner words. */
export function addFallbacks(app: FastifyInstance, log: LogPort): void {
  app.addHook('onSend', async (_request, reply) => {
    reply.header('X-Content-Type-Options', 'nosniff');
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, url } = request;
    log.debug({ method, path: url.split('?', 1)[0], status: reply.statusCode }, 'embedded service answered');
  });
  app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ error: 'not found' }));
  app.setErrorHandler(async (error: unknown, request, reply) => {
    const status = clientStatusOf(error);
    if (status !== null) return reply.code(status).send({ error: 'the request is malformed' });
    log.error({ method: request.method, reason: errorMessage(error) }, 'embedded service failed');
    return reply.code(500).send(internalError(request.url));
  });
}

function clientStatusOf(error: unknown): number | null {
  const status: unknown =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null;
}

function internalError(url: string): object {
  const message = 'internal error';
  if (!url.startsWith('/services/')) return { error: 'server_error', error_description: message };
  return { error: { docId: '', message }, success: null, warning: null };
}
