import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

import { proxies, ProxyAgent } from 'proxy-agent';

import { isLoopbackHost } from '../../lib/server/host.ts';
import { excerpt } from '../../lib/text/printable.ts';
import { ConfigurationError } from '../../model/errors.ts';

export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  readonly close: () => void;
}

/**
 * The connections to one address: by way of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and straight to this machine's
 * own addresses. Each request has a connection of its own. At fifty a minute that costs nothing (TLS sessions are
 * resumed), and no upload can go into a connection that the service is just closing, and no answer can be taken
 * for that of another request. Throws ConfigurationError where the environment names an invalid proxy.
 */
export function createAgents(address: string): Agents {
  if (isLoopbackHost(new URL(address).hostname)) {
    const http = new HttpAgent({ keepAlive: false });
    const https = new HttpsAgent({ keepAlive: false });
    return { http, https, close: () => [http, https].forEach((agent) => agent.destroy()) };
  }
  const proxying = new ProxyAgent({ keepAlive: false });
  checkProxy(proxyOf(proxying, address));
  // One agent for both protocols: it chooses by the request.
  return { http: proxying, https: proxying, close: () => proxying.destroy() };
}

/** The proxy that the environment names for an address, without user and password; null: none. */
export function proxyFor(address: string): string | null {
  if (isLoopbackHost(new URL(address).hostname)) return null;
  const proxying = new ProxyAgent({ keepAlive: false });
  const proxy = proxyOf(proxying, address);
  proxying.destroy();
  if (typeof proxy !== 'string' || proxy === '') return null;
  if (!URL.canParse(proxy)) return 'without a valid address';
  const { protocol, host } = new URL(proxy);
  return `${protocol}//${host}`;
}

/** It uses the address only; the request that its type asks for does not exist yet. */
function proxyOf(proxying: ProxyAgent, address: string): unknown {
  return Reflect.apply(proxying.getProxyForUrl, undefined, [address]);
}

/** Checked at the start: with an invalid proxy nothing could ever be sent. The value may hold a password. */
function checkProxy(proxy: unknown): void {
  if (typeof proxy !== 'string' || proxy === '') return;
  const variable = 'HTTPS_PROXY, HTTP_PROXY or ALL_PROXY';
  const fix = 'use http://HOST:PORT, or add the host of the service to NO_PROXY';
  const scheme = URL.canParse(proxy) ? new URL(proxy).protocol.slice(0, -1) : null;
  if (scheme === null) throw new ConfigurationError(`${variable}: not a proxy address; ${fix}`);
  if (scheme.startsWith('pac+') || !Object.keys(proxies).includes(scheme))
    throw new ConfigurationError(
      `${variable}: ${excerpt(scheme)} is not a kind of proxy that can be used; ${fix}`,
    );
}
