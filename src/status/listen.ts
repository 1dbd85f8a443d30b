import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { chmod, lstat, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { ListenOptions } from 'node:net';
import { ConfigurationError, errorCode, errorMessage } from '../model/errors.ts';

/** Something that listens. */
export interface Listener {
  /** 0 for a socket. */
  readonly port: number;
  /** Takes no more connections, gives answers under way a moment, then cuts what is left. */
  readonly close: () => Promise<void>;
}

export interface PortOptions {
  readonly host: string;
  /** What the host stands for. */
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
}

/** What fits into `sun_path` on Linux with its closing NUL. */
const MAX_SOCKET_PATH_BYTES = 107;

/** Answers under way when the listener closes get this long. */
const CLOSE_GRACE_MS = 1000;

const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;

/** The address that a host name stands for. Throws ConfigurationError where it stands for none. */
export async function resolveHost(host: string): Promise<string> {
  try {
    return (await lookup(host)).address;
  } catch (error) {
    throw new ConfigurationError(`http.host: ${host} is no address of this machine; try 127.0.0.1`, {
      cause: error,
    });
  }
}

/** Listens on TCP. Throws ConfigurationError that names the key where the address cannot be had. */
export async function listenOnPort(options: PortOptions, handle: RequestListener): Promise<Listener> {
  const { host, address, port } = options;
  try {
    return await listen({ host: address, port }, handle);
  } catch (error) {
    throw new ConfigurationError(portProblem(host, port, error), { cause: error });
  }
}

/** Listens on a Unix socket that only its owner may use. A socket that a crash left is removed first. */
export async function listenOnSocket(path: string, handle: RequestListener): Promise<Listener> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new ConfigurationError(
      `state.dir: the socket's path ${path} is longer than ${MAX_SOCKET_PATH_BYTES} bytes; choose a shorter directory`,
    );
  }
  await removeStale(path);
  const listener = await listen({ path }, handle);
  await chmod(path, 0o600);
  return listener;
}

async function listen(where: ListenOptions, handle: RequestListener): Promise<Listener> {
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS }, handle);
  server.listen(where);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => closeServer(server),
  };
}

async function closeServer(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
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
    return `http.port: ${port} is taken by another program; stop it, set another port, or false for none`;
  }
  if (code === 'EACCES')
    return `http.port: ${port} needs more rights than this process has; take one above 1023`;
  if (code === 'EADDRNOTAVAIL') return `http.host: ${host} is no address of this machine; try 127.0.0.1`;
  return `http: cannot listen on ${host} port ${port}: ${errorMessage(error)}`;
}
