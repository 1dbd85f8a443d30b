import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { chmod, lstat, rm } from 'node:fs/promises';
import type { RequestListener, Server } from 'node:http';
import type { ListenOptions } from 'node:net';
import type { Duplex } from 'node:stream';
import { unreadableAnswer } from '../../lib/server/client-error.ts';
import { createLimitedServer } from '../../lib/server/server-limits.ts';
import type { ServerLimits } from '../../lib/server/server-limits.ts';
import { securityHeaders } from './answers.ts';
import { ConfigurationError, errorCode, errorMessage } from '../../model/errors.ts';

/** Something that listens. */
export interface Listener {
  /** 0 for a socket. */
  readonly port: number;
  /** Takes no more connections, gives answers under way a moment, then cuts what is left. */
  readonly close: () => Promise<void>;
}

export interface PortOptions {
  readonly host: string;
  /** The resolved host. */
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
}

/** What fits into `sun_path` on Linux with its closing NUL. */
const maxSocketPathBytes = 107;

/** Time for answers that are under way when the listener closes. */
const closeGraceMs = 1000;

/** A burst of connections must not overflow the system's queue: a client that is dropped retries a second later. */
const waitingConnections = 4096;

/** Pages and monitoring need few connections; a page that is loaded, six at once. */
const portLimits: Partial<ServerLimits> = { maxConnections: 192, maxConnectionsPerPeer: 160 };

/** Only its owner can open the socket: all are one peer. */
const socketLimits: Partial<ServerLimits> = { maxConnections: 64, maxConnectionsPerPeer: 64 };

/** The address of a host name. Throws ConfigurationError where it has none. */
export async function resolveHost(host: string): Promise<string> {
  try {
    return (await lookup(host)).address;
  } catch (error) {
    throw new ConfigurationError(`http.host: ${host} is not an address of this machine; try 127.0.0.1`, {
      cause: error,
    });
  }
}

/** Listens on TCP. Throws ConfigurationError that names the key where the address cannot be had. */
export async function listenOnPort(options: PortOptions, handle: RequestListener): Promise<Listener> {
  const { host, address, port } = options;
  try {
    return await listen({ host: address, port }, handle, portLimits);
  } catch (error) {
    throw new ConfigurationError(portProblem(host, port, error), { cause: error });
  }
}

/** Listens on a Unix socket that only its owner may use. A socket that a crash left is removed first. */
export async function listenOnSocket(path: string, handle: RequestListener): Promise<Listener> {
  if (Buffer.byteLength(path) > maxSocketPathBytes) {
    throw new ConfigurationError(
      `state.dir: the socket's path ${path} is longer than ${maxSocketPathBytes} bytes; choose a shorter directory`,
    );
  }
  await removeStale(path);
  const listener = await listen({ path }, handle, socketLimits);
  await chmod(path, 0o600);
  return listener;
}

async function listen(
  where: ListenOptions,
  handle: RequestListener,
  limits: Partial<ServerLimits>,
): Promise<Listener> {
  const server = createLimitedServer(handle, limits);
  server.on('clientError', answerClientError);
  server.listen({ ...where, backlog: waitingConnections });
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => closeServer(server),
  };
}

/** Bytes that are not HTTP reach no route: they are answered here, with the usual headers. */
function answerClientError(error: Error, socket: Duplex): void {
  if (!socket.writable || errorCode(error) === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  socket.end(unreadableAnswer(errorCode(error), securityHeaders));
}

async function closeServer(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), closeGraceMs);
  try {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  } finally {
    clearTimeout(cut);
  }
}

async function removeStale(path: string): Promise<void> {
  try {
    if ((await lstat(path)).isSocket()) await rm(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

function portProblem(host: string, port: number, error: unknown): string {
  const code = errorCode(error);
  if (code === 'EADDRINUSE') {
    return `http.port: ${port} is in use by another program; stop it, set another port, or set false for no page`;
  }
  if (code === 'EACCES')
    return `http.port: ${port} needs more permissions than this process has; use a port above 1023`;
  if (code === 'EADDRNOTAVAIL') return `http.host: ${host} is not an address of this machine; try 127.0.0.1`;
  return `http: cannot listen on ${host} port ${port}: ${errorMessage(error)}`;
}
