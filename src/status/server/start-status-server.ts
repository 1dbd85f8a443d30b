import { chmod, lstat, rm } from 'node:fs/promises';

import { isOpenAddress } from '../../lib/server/host.ts';
import { ConfigurationError, errorCode } from '../../model/errors.ts';
import type { Settings } from '../../model/settings.ts';
import { createApp } from './app.ts';
import { createEventHub } from './event-hub.ts';
import { openPage, unguarded } from './open-page.ts';
import type { PageOptions } from './open-page.ts';
import type { AppOptions } from './routes.ts';
import { createStatusSnapshot } from './status-snapshot.ts';

export interface StatusServerOptions
  extends
    Pick<AppOptions, 'control' | 'deliveries' | 'metrics' | 'readLog' | 'fleet' | 'log' | 'clock'>,
    Pick<PageOptions, 'usualPort' | 'httpToken' | 'onPage'> {
  /** `port` false: no page. The token is asked for where it is set; it has to be, where the host is not loopback. */
  readonly http: Settings['http'];
  /** Where the command line finds the daemon. At most 107 bytes; what a crash left there is replaced. */
  readonly socketPath: string;
}

/**
 * Serves page, status and metrics on a Unix socket of mode 0600, and on a TCP address as soon as that can be had. What it
 * gives ends every stream and connection, lets answers under way finish for a moment, removes the socket.
 * Throws ConfigurationError where the socket cannot be had, or the address is open to others and no token is set.
 */
export async function startStatusServer(options: StatusServerOptions): Promise<() => Promise<void>> {
  const { control, clock, http, socketPath, deliveries } = options;
  if (http.port !== false && options.httpToken === null && isOpenAddress(http.host))
    throw unguarded(http.host);

  const snapshot = createStatusSnapshot(control, clock);
  const hub = createEventHub(control, snapshot, clock);
  const app: AppOptions = {
    ...options,
    snapshot,
    hub,
    publicPath: http.publicUrl === undefined ? '' : new URL(http.publicUrl).pathname.replace(/\/$/, ''),
    rules: null,
  };
  const forget = [
    control.onActivity(deliveries.record),
    control.onActivity(snapshot.expire),
    control.onStatus(snapshot.expire),
  ];
  const closers: (() => Promise<void>)[] = [];

  const close = async () => {
    for (const end of forget) end();
    hub.close();
    await Promise.all(closers.map((end) => end()));
  };

  try {
    closers.push(await listenOnSocket(socketPath, app));
    if (http.port !== false)
      closers.push(await openPage({ ...options, http: { ...http, port: http.port } }, app));
    return close;
  } catch (error) {
    await close();
    throw error;
  }
}

/** What fits into `sun_path` on Linux with its closing NUL. */
export const maxSocketPathBytes = 107;

/** Of its own: who owns the daemon is let in, however many connections the page has. */
const maxConnections = 64;

/** Listens on a Unix socket that only its owner may use. A socket that a crash left is removed first. */
async function listenOnSocket(path: string, options: AppOptions): Promise<() => Promise<void>> {
  if (Buffer.byteLength(path) > maxSocketPathBytes) {
    throw new ConfigurationError(
      `state.dir: the socket's path ${path} is longer than ${maxSocketPathBytes} bytes; choose a shorter directory`,
    );
  }
  await removeStale(path);
  const { listen, close } = createApp(options, maxConnections);
  await listen({ path });
  await chmod(path, 0o600).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return close;
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
