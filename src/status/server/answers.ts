import type { FastifyReply } from 'fastify';
import { pagePolicy, refusalStatus } from '../../lib/server/http-server.ts';
import { IngestdError, errorCode, errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';

/** Goes with every answer: what the page needs is opened, and nothing else. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': `${pagePolicy}; require-trusted-types-for 'script'; trusted-types 'none'`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
};

const statuses: ReadonlyMap<string, number> = new Map([
  ['configuration', 400],
  ['credentials-refused', 502],
  ['service-unavailable', 503],
  ['ledger-unwritable', 503],
  ['stopped', 503],
]);

/** Makes an answer of whatever a route threw; unexpected errors go to the log and not to the caller. */
export function answerError(error: unknown, reply: FastifyReply, log: LogPort): FastifyReply {
  if (error instanceof IngestdError) {
    return send(reply, statuses.get(error.code) ?? 500, { code: error.code, message: error.message });
  }
  const status = refusalStatus(error);
  if (status !== null) return send(reply, status, { code: 'request', message: errorMessage(error) });
  log.error({ code: errorCode(error), message: errorMessage(error) }, 'request failed');
  return send(reply, 500, { code: 'unforeseen', message: 'unexpected error; see the log' });
}

/** Every answer that is not a success has this body. */
export function send(
  reply: FastifyReply,
  status: number,
  body: { readonly code: string; readonly message: string },
): FastifyReply {
  return reply.code(status).send(body);
}
