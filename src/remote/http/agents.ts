import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

import { proxies, ProxyAgent } from 'proxy-agent';

import { isLoopbackHost } from '../../lib/server/host.ts';
import { excerpt } from '../../lib/text/printable.ts';
import { ConfigurationError } from '../../model/errors.ts';

export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  /** The proxy on the way, without user and password; null: none. */
  readonly proxy: string | null;
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
    const close = () => [http, https].forEach((agent) => agent.destroy());
    return { http, https, proxy: null, close };
  }
  const proxying = new ProxyAgent({ keepAlive: false });
  const byDefault = proxying.getProxyForUrl;
  // It takes a URL as well. A text it would parse in a way that Node warns of; the request it does not look at.
  proxying.getProxyForUrl = (url) => String(Reflect.apply(byDefault, undefined, [new URL(url)]));
  const proxy = proxyOf(proxying, address);
  // One agent for both protocols: it chooses by the request.
  return { http: proxying, https: proxying, proxy, close: () => proxying.destroy() };
}

/**
 * The proxy that the environment names for an address; null: none. Judged at the start: with an invalid one nothing could
 * ever be sent. The value may hold a password.
 */
function proxyOf(proxying: ProxyAgent, address: string): string | null {
  // It uses the address only; the request that its type asks for does not exist yet.
  const proxy: unknown = Reflect.apply(proxying.getProxyForUrl, undefined, [address]);
  if (typeof proxy !== 'string' || proxy === '') return null;
  const variable = 'HTTPS_PROXY, HTTP_PROXY or ALL_PROXY';
  const fix = 'use http://HOST:PORT, or add the host of the service to NO_PROXY';
  if (!URL.canParse(proxy)) throw new ConfigurationError(`${variable}: not a proxy address; ${fix}`);
  const { protocol, host } = new URL(proxy);
  const scheme = protocol.slice(0, -1);
  if (scheme.startsWith('pac+') || !Object.keys(proxies).includes(scheme))
    throw new ConfigurationError(
      `${variable}: ${excerpt(scheme)} is not a kind of proxy that can be used; ${fix}`,
    );
  return `${protocol}//${host}`;
}
