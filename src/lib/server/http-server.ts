import { createServer, STATUS_CODES } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What the peers of an HTTP server may take of the process that serves them. */
export interface ServerLimits {
  readonly maxConnections?: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs?: number;
  /** From the first byte of a request to the last of its body. */
  readonly requestMs?: number;
}

/** Requests that wait on one connection for the answer before theirs; with more the connection is cut. */
const maxWaitingRequests = 64;

/** Without a byte in either direction, while a request is being answered. */
const idleMs = 30_000;

/** Between an answer and the next request. */
const keepAliveMs = 72_000;

/** A burst of connections must not overflow the system's queue: a client that is dropped retries seconds later. */
export const backlog = 4096;

type Exchange = readonly [IncomingMessage, ServerResponse];

/**
 * An HTTP server that its peers cannot make take all memory. Requests of a connection are handled one after the other:
 * the next begins when the answer before it has been handed to the system, so that a peer that does not read costs no
 * memory. Where there are too many connections, a new one is closed at once.
 */
export function createLimitedServer(
  handle: RequestListener,
  { maxConnections = 256, headersMs = 10_000, requestMs = 30_000 }: ServerLimits = {},
): Server {
  /** Connections at work, with the requests that were parsed and are not being handled yet. */
  const atWork = new WeakMap<Socket, Exchange[]>();

  const take = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    // A request that was parsed before its connection was cut is dropped.
    if (socket.destroyed) return;
    const queue = atWork.get(socket);
    if (queue === undefined) {
      atWork.set(socket, []);
      answer([request, response]);
    } else if (queue.push([request, response]) > maxWaitingRequests) socket.destroy();
  };
  const answer = ([request, response]: Exchange) => {
    const { socket } = request;
    response.once('close', () => {
      const next = socket.destroyed ? undefined : atWork.get(socket)?.shift();
      if (next === undefined) atWork.delete(socket);
      else answer(next);
    });
    handle(request, response);
  };

  const server = createServer(
    {
      // Node would refuse a request without one in a form of its own.
      requireHostHeader: false,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(5000, headersMs),
    },
    take,
  );
  server.maxConnections = maxConnections;
  server.setTimeout(idleMs);
  // Node would answer an expectation that it does not know by itself, past all limits.
  server.on('checkExpectation', take);
  return server;
}

/** Closes a server; what is under way may end within so much real time, as a connection that hangs holds up no stop. */
export async function closeInTime(
  server: Pick<Server, 'closeAllConnections'>,
  graceMs: number,
  close: () => Promise<unknown>,
): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await close().finally(() => clearTimeout(cut));
}

/**
 * Fastify's `schemaController` for an application whose routes have no JSON schemas: what comes in is judged by zod.
 * Without it Fastify loads a validator and a serializer that nobody asks for, 20 ms in which nothing else happens.
 */
export const noSchemas = {
  compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
};

function refuseSchema(): never {
  throw new Error(
    'a route has a JSON schema, and nothing here compiles one; judge the body by zod in the route',
  );
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_HEADER_OVERFLOW', 431],
]);

/**
 * Answers bytes that became no request (too slow, too large, or not HTTP, by the code of Node's error), and ends the
 * connection.
 */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Socket,
  headers: Readonly<Record<string, string>>,
  body = '',
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = statuses.get(error.code ?? '') ?? 400;
  const all = { ...headers, connection: 'close', 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  // Not `end`: a peer that keeps its end would keep the place of another.
  socket.destroySoon();
}
