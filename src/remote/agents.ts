import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIPv4 } from 'node:net';

import { ProxyAgent } from 'proxy-agent';

export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  readonly close: () => void;
}

/**
 * The connections to one address: by way of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and straight to this machine's
 * own addresses. Each request has a connection of its own. At fifty a minute that costs nothing (TLS sessions are
 * resumed), and no upload can go into a connection that the service is just closing, and no answer can be taken
 * for that of another request.
 */
export function createAgents(address: string): Agents {
  if (isLoopback(new URL(address).hostname)) {
    const http = new HttpAgent({ keepAlive: false });
    const https = new HttpsAgent({ keepAlive: false });
    return { http, https, close: () => [http, https].forEach((agent) => agent.destroy()) };
  }
  const proxying = new ProxyAgent({ keepAlive: false });
  // One agent for both: it looks at the request.
  return { http: proxying, https: proxying, close: () => proxying.destroy() };
}

function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  if (isIPv4(name)) return name.startsWith('127.');
  return name === '::1' || name === 'localhost' || name.endsWith('.localhost');
}
