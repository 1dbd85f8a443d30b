import type { FastifyReply } from 'fastify';
import { IngestdError, errorCode, errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';

/** What a page may load and send: its own address, and nothing else. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Goes with every answer: what the page needs is opened, and nothing else. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': pagePolicy,
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
    return reply.code(statuses.get(error.code) ?? 500).send({ code: error.code, message: error.message });
  }
  const status = refusalStatus(error);
  if (status !== null) return reply.code(status).send({ code: 'request', message: errorMessage(error) });
  log.error({ code: errorCode(error), message: errorMessage(error) }, 'request failed');
  return reply.code(500).send({ code: 'unforeseen', message: 'unexpected error; see the log' });
}

/** The status with which the framework refuses a request by itself, as a body too large; null: it is another error. */
function refusalStatus(error: unknown): number | null {
  const status: unknown =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null;
}
