import { isIPv6 } from 'node:net';

/** A host name or address as part of a URL. */
export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** The same for a browser, which cannot open a wildcard address: this machine stands for it. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return urlHost(host === '::' ? '::1' : host);
}
