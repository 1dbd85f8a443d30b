import { lookup } from 'node:dns/promises';

import { isLoopbackAddress, reachableHost } from '../../lib/server/host.ts';
import { isWithin } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { ConfigurationError, errorCode, errorMessage, StoppedError } from '../../model/errors.ts';
import type { Settings } from '../../model/settings.ts';
import { createApp } from './app.ts';
import { createAccessRules } from './request-guard.ts';
import type { AccessRules } from './request-guard.ts';
import type { AppOptions } from './routes.ts';

/** Whether the page can be had: its address without a slash at its end, or why not, with the key and the fix. */
export type PageState =
  | { readonly kind: 'open'; readonly url: string }
  | { readonly kind: 'unavailable'; readonly problem: string };

export interface PageOptions {
  readonly http: Settings['http'] & { readonly port: number };
  /** Where any port will do: tried first, so that the address stays the same. */
  readonly usualPort?: number | undefined;
  readonly httpToken: string | null;
  readonly clock: Clock;
  /** Called after every try, until the page is open. */
  readonly onPage: (state: PageState) => void;
}

/** Pages and monitoring need few connections; a page that is loaded, six at once. */
const maxConnections = 192;

/** A caller is not held up for longer than this by a name server that does not answer. */
const patienceMs = 1_000;

const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

/**
 * Opens the page's TCP address; where it cannot be had now (another program has the port, the address is not there yet,
 * its name does not resolve), it tries again by itself, after 1 s and then up to a minute. Gives what closes it.
 */
export async function openPage(
  { clock, http, usualPort, httpToken, onPage }: PageOptions,
  app: AppOptions,
): Promise<() => Promise<void>> {
  // No request comes before the address is bound.
  let rules: AccessRules | null = null;
  const { listen, close } = createApp({ ...app, rules: () => rules ?? refuseEarly() }, maxConnections);
  let isClosed = false;
  let cancelRetry = () => {};

  const open = async (): Promise<void> => {
    const { address } = await lookup(http.host);
    if (httpToken === null && !isLoopbackAddress(address)) throw unguarded(http.host);
    if (isClosed) return;
    const listenOn = (port: number) => listen({ host: address, port });
    const isUsual = http.port === 0 && usualPort !== undefined;
    const usual = isUsual ? await listenOn(usualPort).catch(() => null) : null;
    const port = usual ?? (await listenOn(http.port));
    rules = createAccessRules(http, { address, port }, httpToken);
    onPage({ kind: 'open', url: `http://${reachableHost(http.host)}:${port}` });
  };
  const attempt = (retryMs: number): Promise<void> =>
    open().catch((error: unknown) => {
      if (isClosed) return;
      cancelRetry = clock.after(retryMs, () => void attempt(Math.min(2 * retryMs, longestRetryMs)));
      onPage({ kind: 'unavailable', problem: problemOf(http, error) });
    });

  await isWithin(clock, patienceMs, attempt(firstRetryMs));
  return async () => {
    isClosed = true;
    cancelRetry();
    await close();
  };
}

/** The refusal of an address that other machines reach and that asks for no token. */
export function unguarded(host: string): ConfigurationError {
  return new ConfigurationError(
    `http.host: ${host} is reachable from other machines, but no token is set; set INGESTD_HTTP_TOKEN to 16 characters or more, or http.host to 127.0.0.1`,
  );
}

function refuseEarly(): never {
  throw new StoppedError('a connection without access rules');
}

function problemOf({ host, port }: PageOptions['http'], error: unknown): string {
  const code = errorCode(error);
  if (code === 'configuration') return errorMessage(error);
  if (code === 'EADDRINUSE')
    return `http.port: ${port} is in use by another program; stop it, set another port, or set false for no page`;
  if (code === 'EACCES')
    return `http.port: ${port} needs more permissions than this process has; use a port above 1023`;
  if (code === 'EADDRNOTAVAIL')
    return `http.host: ${host} is not an address of this machine; wait until it is, or set 127.0.0.1`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `http.host: ${host} has no address; check the name, or set 127.0.0.1`;
  return `http: cannot listen on ${host} port ${port}: ${errorMessage(error)}`;
}
