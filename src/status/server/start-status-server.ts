import type { IncomingMessage, RequestListener } from 'node:http';
import type { ListenOptions, Socket } from 'node:net';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { chmod, lstat, rm } from 'node:fs/promises';
import type { Duplex } from 'node:stream';

import { isLoopbackAddress, reachableHost } from '../../lib/server/host.ts';
import { closeInTime, createLimitedServer, unreadableAnswer } from '../../lib/server/http-server.ts';
import type { ServerLimits } from '../../lib/server/http-server.ts';
import { ConfigurationError, errorCode, errorMessage, StoppedError } from '../../model/errors.ts';
import type { LogPage } from '../../model/report/log-query.ts';
import { createDeliveryHistory } from '../metrics/delivery-history.ts';
import type { DeliveryHistory } from '../metrics/delivery-history.ts';
import { openApp } from './app.ts';
import type { AppOptions } from './routes.ts';
import { createAccessRules } from './request-guard.ts';
import type { AccessRules } from './request-guard.ts';
import { createEventHub } from './event-hub.ts';
import { pageReader } from './page-files.ts';
import { createStatusSnapshot } from './status-snapshot.ts';
import { securityHeaders } from './answers.ts';

export interface StatusServerOptions
  extends
    Pick<AppOptions, 'control' | 'metrics' | 'fleet' | 'log' | 'clock' | 'version'>,
    Partial<Pick<AppOptions, 'readLog'>> {
  readonly http: { readonly host: string; readonly port: number | false };
  /** Where any port will do: tried first, so that the address stays the same. */
  readonly usualPort?: number | undefined;
  /** Where the command line finds the daemon. At most 107 bytes; what a crash left there is replaced. */
  readonly socketPath: string;
  /** Asked for over TCP where it is set; it has to be, where the host is not loopback. */
  readonly httpToken: string | null;
  /** What the chart begins with; without it, an empty day. */
  readonly deliveries?: DeliveryHistory;
}

export interface StatusServer {
  /** Address of the page without a slash at its end; null: `http.port` is false. */
  readonly url: string | null;
  /** Ends every stream and connection, lets answers under way finish for a moment, removes the socket. */
  readonly close: () => Promise<void>;
}

/**
 * Serves page, status and metrics on a TCP address and on a Unix socket of mode 0600.
 * Throws ConfigurationError where the address cannot be had, or is open to others and no token is set.
 */
export async function startStatusServer(options: StatusServerOptions): Promise<StatusServer> {
  const { control, clock, http, usualPort, socketPath, httpToken } = options;
  const address = http.port === false ? null : await resolveHost(http.host);
  if (address !== null && httpToken === null && !isLoopbackAddress(address)) throw unguarded(http.host);

  const history = options.deliveries ?? createDeliveryHistory(clock);
  const snapshot = createStatusSnapshot({ control, clock });
  const hub = createEventHub({ control, snapshot, clock });
  const rules = new WeakMap<Socket, AccessRules | null>();
  const rulesOf = ({ socket }: IncomingMessage) => {
    const known = rules.get(socket);
    if (known === undefined) throw new StoppedError('a connection without access rules');
    return known;
  };
  const app = await openApp({
    readLog: noLog,
    ...options,
    snapshot,
    history,
    hub,
    page: pageReader(),
    rulesOf,
  });
  const listeners: Listener[] = [];
  const forget = [
    control.onActivity((activity) => history.record(activity)),
    control.onActivity(snapshot.expire),
    control.onStatus(snapshot.expire),
  ];

  const close = async () => {
    for (const end of forget) end();
    hub.close();
    await Promise.all(listeners.map((listener) => listener.close()));
    await app.close();
  };

  try {
    const onSocket: RequestListener = (request, response) => {
      rules.set(request.socket, null);
      app.handle(request, response);
    };
    listeners.push(await listenOnSocket(socketPath, onSocket));
    if (http.port === false || address === null) return { url: null, close };
    let ofPort: AccessRules | undefined;
    const onPort: RequestListener = (request, response) => {
      if (ofPort !== undefined) rules.set(request.socket, ofPort);
      app.handle(request, response);
    };
    const listener = await listenOnPort({ ...http, port: http.port, usualPort, address }, onPort);
    listeners.push(listener);
    ofPort = createAccessRules({ host: http.host, address, port: listener.port, httpToken });
    return { url: `http://${reachableHost(http.host)}:${listener.port}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function noLog(): Promise<LogPage> {
  return { entries: [], next: null };
}

function unguarded(host: string): ConfigurationError {
  return new ConfigurationError(
    `http.host: ${host} is reachable from other machines, but no token is set; set INGESTD_HTTP_TOKEN to 16 characters or more, or http.host to 127.0.0.1`,
  );
}

/** Something that listens. */
interface Listener {
  /** 0 for a socket. */
  readonly port: number;
  /** Takes no more connections, gives answers under way a moment, then cuts what is left. */
  readonly close: () => Promise<void>;
}

/** What fits into `sun_path` on Linux with its closing NUL. */
export const maxSocketPathBytes = 107;

/** Time for answers that are under way when the listener closes. */
const closeGraceMs = 1000;

/** A burst of connections must not overflow the system's queue: a client that is dropped retries a second later. */
const waitingConnections = 4096;

/** Pages and monitoring need few connections; a page that is loaded, six at once. */
const portLimits: Partial<ServerLimits> = { maxConnections: 192, maxConnectionsPerPeer: 160 };

/** Only its owner can open the socket: all are one peer. */
const socketLimits: Partial<ServerLimits> = { maxConnections: 64, maxConnectionsPerPeer: 64 };

/** The address of a host name. Throws ConfigurationError where it has none. */
async function resolveHost(host: string): Promise<string> {
  try {
    return (await lookup(host)).address;
  } catch (error) {
    throw new ConfigurationError(`http.host: ${host} is not an address of this machine; try 127.0.0.1`, {
      cause: error,
    });
  }
}

interface PortAddress {
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly usualPort: number | undefined;
}

/**
 * Listens on TCP, at the resolved host. Throws ConfigurationError that names the key where the address cannot be had.
 */
async function listenOnPort(
  { host, address, port, usualPort }: PortAddress,
  handle: RequestListener,
): Promise<Listener> {
  try {
    if (port === 0 && usualPort !== undefined) {
      const usual = await listen({ host: address, port: usualPort }, handle, portLimits).catch(() => null);
      if (usual !== null) return usual;
    }
    return await listen({ host: address, port }, handle, portLimits);
  } catch (error) {
    throw new ConfigurationError(portProblem(host, port, error), { cause: error });
  }
}

/** Listens on a Unix socket that only its owner may use. A socket that a crash left is removed first. */
async function listenOnSocket(path: string, handle: RequestListener): Promise<Listener> {
  if (Buffer.byteLength(path) > maxSocketPathBytes) {
    throw new ConfigurationError(
      `state.dir: the socket's path ${path} is longer than ${maxSocketPathBytes} bytes; choose a shorter directory`,
    );
  }
  await removeStale(path);
  const listener = await listen({ path }, handle, socketLimits);
  await chmod(path, 0o600).catch(async (error: unknown) => {
    await listener.close();
    throw error;
  });
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
    close: () => closeInTime(server, closeGraceMs, () => new Promise((resolve) => server.close(resolve))),
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

async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return;
  if (!found.isSocket())
    throw new ConfigurationError(`${path} is not a socket, and ingestd needs one there; move it away`);
  await rm(path, { force: true });
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
