import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { ConfigurationError, StoppedError } from '../../model/errors.ts';
import type { LogPage } from '../../model/report/log-query.ts';
import { openApp } from './app.ts';
import type { AppOptions } from './routes.ts';
import { reachableHost, isLoopbackAddress } from '../../lib/server/host.ts';
import { createAccessRules } from './request-guard.ts';
import { createDeliveryHistory } from '../metrics/delivery-history.ts';
import type { DeliveryHistory } from '../metrics/delivery-history.ts';
import { createEventHub } from './event-hub.ts';
import { listenOnPort, listenOnSocket, resolveHost } from './listen.ts';
import type { Listener } from './listen.ts';
import { pageReader } from './page-files.ts';
import type { AccessRules } from './request-guard.ts';
import { createStatusSnapshot } from './status-snapshot.ts';

export interface StatusServerOptions
  extends
    Pick<AppOptions, 'control' | 'metrics' | 'fleet' | 'log' | 'clock' | 'version'>,
    Partial<Pick<AppOptions, 'readLog'>> {
  readonly http: { readonly host: string; readonly port: number | false };
  /** Where the command line finds the daemon. At most 107 bytes; what a crash left there is replaced. */
  readonly socketPath: string;
  /** Asked for over TCP where it is set; it has to be, where the host is not loopback. */
  readonly httpToken: string | null;
  /** What the chart begins with; without it, an empty day. */
  readonly deliveries?: DeliveryHistory;
  /** Directory of the built page, for tests. */
  readonly pageRoot?: URL;
}

export interface StatusServer {
  /** Address of the page without a slash at its end; null: `http.port` is false. */
  readonly url: string | null;
  /** Ends every stream and connection, lets answers under way finish for a moment, removes the socket. */
  readonly close: () => Promise<void>;
}

/**
 * Serves page, status and metrics (contract section 6) on a TCP address and on a Unix socket of mode 0600.
 * Throws ConfigurationError where the address cannot be had, or is open to others and no token is set.
 */
export async function startStatusServer(options: StatusServerOptions): Promise<StatusServer> {
  const { control, clock, http, socketPath, httpToken } = options;
  const page = pageReader(options.pageRoot);
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
  const app = await openApp({ readLog: noLog, ...options, snapshot, history, hub, page, rulesOf });
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
    const listener = await listenOnPort({ ...http, port: http.port, address }, onPort);
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
