import { readFileSync } from 'node:fs';
import { createServer, STATUS_CODES } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { orNull } from '../or-null.ts';

/** What the peers of an HTTP server may take of the process that serves them. */
export interface ServerLimits {
  /** Connections in all; fewer where the process may open few files. */
  readonly maxConnections: number;
  /** Connections of one remote address. */
  readonly maxConnectionsPerPeer: number;
  /** The last answer closes the connection. */
  readonly maxRequestsPerConnection: number;
  /** Requests that wait on one connection for the answer before theirs; with more the connection is cut. */
  readonly maxWaitingRequests: number;
  readonly maxHeaderBytes: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the last of its body. */
  readonly requestMs: number;
  /** Without a byte in either direction, while a request is being answered too; 0: no limit. */
  readonly idleMs: number;
  /** Between an answer and the next request. */
  readonly keepAliveMs: number;
  /** Whether Node refuses a request of HTTP 1.1 without a Host header, in a form of its own. */
  readonly requireHostHeader: boolean;
}

const defaultLimits: ServerLimits = {
  maxConnections: 256,
  maxConnectionsPerPeer: 128,
  maxRequestsPerConnection: 1000,
  maxWaitingRequests: 64,
  maxHeaderBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 120_000,
  keepAliveMs: 72_000,
  requireHostHeader: true,
};

/** A server takes at most this part of the descriptors: the rest is for files, folders and the service. */
const descriptorShare = 1 / 8;
const fewestConnections = 16;

/** Extra connections that are only open long enough to be refused. */
const refusalReserve = 16;

/** A connection that transfers fewer bytes in this time counts as stalled: it gives way when others need its place. */
const progressMs = 5000;
const progressBytes = 1024;

interface Connection {
  readonly socket: Socket;
  readonly peer: string;
  /** Requests that were parsed and are not being handled yet. */
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[];
  isAnswering: boolean;
  requests: number;
  /** Monotonic: when it was opened, last answered or last moved bytes. */
  activeAt: number;
  bytes: number;
}

/**
 * An HTTP server that its peers cannot make take all memory or all descriptors. Requests of a connection are handled
 * one after the other: the next begins when the answer before it has been handed to the system, so that a
 * peer that does not read costs no memory. Where there are too many connections, the one that has waited longest
 * without a request gives way, then an idle one, then one that has stopped moving; while all are at work a new one gets
 * 503.
 */
export function createLimitedServer(handle: RequestListener, given: Partial<ServerLimits> = {}): Server {
  const limits = { ...defaultLimits, ...given };
  const connections = new Map<Socket, Connection>();
  const take = (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    // A request that was parsed before its connection was cut is dropped.
    if (connection === undefined || request.socket.destroyed) return;
    connection.requests += 1;
    if (connection.requests >= limits.maxRequestsPerConnection) response.shouldKeepAlive = false;
    if (!connection.isAnswering) {
      answer(connection, handle, [request, response]);
    } else if (connection.waiting.push([request, response]) > limits.maxWaitingRequests) {
      connection.waiting.length = 0;
      request.socket.destroy();
    }
  };
  const server = createServer(
    {
      maxHeaderSize: limits.maxHeaderBytes,
      requireHostHeader: limits.requireHostHeader,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(5000, limits.headersMs),
    },
    take,
  );
  const maxConnections = Math.min(limits.maxConnections, affordableConnections());
  server.maxConnections = maxConnections + refusalReserve;
  server.setTimeout(limits.idleMs);
  // Node would answer an expectation that it does not know by itself, past all limits.
  server.on('checkExpectation', take);

  const makeRoom = (peer: string): boolean => {
    const all = [...connections.values()];
    const ofPeer = all.filter((one) => one.peer === peer);
    const among = ofPeer.length >= limits.maxConnectionsPerPeer ? ofPeer : all;
    if (among === all && all.length < maxConnections) return true;
    const chosen = whoGivesWay(among);
    if (chosen === undefined) return false;
    // It closes a moment later; it must not be chosen again until then.
    connections.delete(chosen.socket);
    if (chosen.requests > 0) chosen.socket.destroy();
    else refuse(chosen.socket);
    return true;
  };

  // The server's own listener gives a connection its parser: one that is refused must not come that far.
  const accept = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? '';
    if (!makeRoom(peer)) {
      refuse(socket);
      return;
    }
    connections.set(socket, {
      socket,
      peer,
      waiting: [],
      isAnswering: false,
      requests: 0,
      activeAt: performance.now(),
      bytes: 0,
    });
    socket.once('close', () => connections.delete(socket));
    for (const listener of accept) listener.call(server, socket);
  });

  const timer = setInterval(() => {
    for (const connection of connections.values()) noteProgress(connection);
  }, progressMs).unref();
  server.once('close', () => clearInterval(timer));
  return server;
}

function answer(
  connection: Connection,
  handle: RequestListener,
  [request, response]: readonly [IncomingMessage, ServerResponse],
): void {
  connection.isAnswering = true;
  response.once('close', () => {
    connection.isAnswering = false;
    connection.activeAt = performance.now();
    const next = connection.socket.destroyed ? undefined : connection.waiting.shift();
    if (next !== undefined) answer(connection, handle, next);
  });
  handle(request, response);
}

/**
 * The connection that needs its place least: one without a request, an idle one, a stalled one; none if all are at
 * work.
 */
function whoGivesWay(connections: readonly Connection[]): Connection | undefined {
  const stalledSince = performance.now() - 2 * progressMs;
  const longest = (isMeant: (connection: Connection) => boolean): Connection | undefined =>
    connections.filter(isMeant).toSorted((a, b) => a.activeAt - b.activeAt)[0];
  return (
    longest(({ requests }) => requests === 0) ??
    longest(({ isAnswering }) => !isAnswering) ??
    longest(({ activeAt }) => activeAt < stalledSince)
  );
}

function refuse(socket: Socket): void {
  socket.on('error', () => {});
  socket.write(
    'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n',
  );
  socket.destroySoon();
}

function noteProgress(connection: Connection): void {
  const bytes = connection.socket.bytesRead + connection.socket.bytesWritten;
  if (!connection.isAnswering || bytes - connection.bytes < progressBytes) return;
  connection.bytes = bytes;
  connection.activeAt = performance.now();
}

/**
 * Closes a server; what is under way may end within so much real time: a connection that hangs must not hold up a stop.
 */
export async function closeInTime(
  server: Pick<Server, 'closeAllConnections'>,
  graceMs: number,
  close: () => Promise<unknown>,
): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await close().finally(() => clearTimeout(cut));
}

function affordableConnections(): number {
  const limits = orNull(() => readFileSync('/proc/self/limits', 'latin1')) ?? '';
  // Where the system does not say how many files this process may have open, the usual 1,024.
  const descriptors = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? 1024);
  return Math.max(fewestConnections, Math.floor(descriptors * descriptorShare));
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

/** What a page may load and send: its own address, and nothing else. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The status with which the framework refuses a request by itself, as a body too large; null: it is another error. */
export function refusalStatus(error: unknown): number | null {
  const status: unknown =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null;
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_HEADER_OVERFLOW', 431],
]);

/** The whole answer to bytes that became no request, by the code of Node's error: too slow, too large, or not HTTP. */
export function unreadableAnswer(
  code: string | undefined,
  headers: Readonly<Record<string, string>>,
  body = '',
): string {
  const status = statuses.get(code ?? '') ?? 400;
  const all = { ...headers, connection: 'close', 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
