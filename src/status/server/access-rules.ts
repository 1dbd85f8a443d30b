import { createHmac, randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { isLoopbackAddress } from '../../lib/server/is-loopback.ts';

/** How the TCP address is reached and what it asks for. */
export interface AccessRules {
  /** `host:port` as browsers write it, of every name this address goes by; null: any name (a token guards it). */
  readonly hosts: ReadonlySet<string> | null;
  /** Asked of every request but for `/healthz` and the login; null: nothing is asked. */
  readonly httpToken: string | null;
  /** What the login leaves in the browser. */
  readonly cookie: { readonly name: string; readonly value: string };
  /** The page's own, for calls that change something. */
  readonly pageToken: string;
}

export interface AddressOptions {
  /** As configured. */
  readonly host: string;
  /** What the configured host stands for. */
  readonly address: string;
  readonly port: number;
  readonly httpToken: string | null;
}

const pageTokenBytes = 24;

/** Works out what the guard of a TCP address that is bound now has to know. The page's token is new each time. */
export function createAccessRules({ host, address, port, httpToken }: AddressOptions): AccessRules {
  return {
    hosts: isLoopbackAddress(address)
      ? hostHeaders([host, address, 'localhost', '127.0.0.1', '::1'], port)
      : null,
    httpToken,
    cookie: { name: `ingestd-${port}`, value: cookieValue(httpToken) },
    pageToken: randomBytes(pageTokenBytes).toString('base64url'),
  };
}

/** How a host name or address stands in a URL. */
export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

function hostHeaders(names: readonly string[], port: number): ReadonlySet<string> {
  const hosts = names.map((name) => urlHost(name.toLowerCase()));
  // Browsers leave the port out where it is the scheme's own.
  return new Set(hosts.flatMap((host) => (port === 80 ? [host, `${host}:80`] : [`${host}:${port}`])));
}

/** Stays the same over restarts, changes with the token and does not give it away. */
function cookieValue(httpToken: string | null): string {
  const key = httpToken ?? randomBytes(pageTokenBytes);
  return createHmac('sha256', key).update('ingestd login').digest('base64url');
}
