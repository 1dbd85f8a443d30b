import type { FastifyReply } from 'fastify';
import { IngestdError, errorCode, errorMessage } from '../model/errors.ts';
import type { LogPort } from '../model/ports/log-port.ts';

/** Every answer that is not a success has this body. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['configuration', 400],
  ['credentials-refused', 502],
  ['service-unavailable', 503],
  ['ledger-unwritable', 503],
  ['stopped', 503],
]);

/** Turns whatever a route threw into an answer; what nobody foresaw goes to the log and not to the caller. */
export function answerError(error: unknown, reply: FastifyReply, log: LogPort): FastifyReply {
  if (error instanceof IngestdError) {
    return send(reply, statuses.get(error.code) ?? 500, { code: error.code, message: error.message });
  }
  const status = clientStatus(error);
  if (status !== null) return send(reply, status, { code: 'request', message: errorMessage(error) });
  log.error({ code: errorCode(error), message: errorMessage(error) }, 'request failed');
  return send(reply, 500, { code: 'unforeseen', message: 'this went wrong; the log says more' });
}

/** Sends an error in its one shape. */
export function send(reply: FastifyReply, status: number, body: ErrorBody): FastifyReply {
  return reply.code(status).send(body);
}

/** The server's own judgement of a request: not JSON, too long, of another type. */
function clientStatus(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : null;
}
