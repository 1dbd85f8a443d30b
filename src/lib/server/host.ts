import { BlockList, isIP, isIPv6 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');

/** Says whether a host name or address, IPv6 with or without brackets, is this machine's loopback. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return isLoopbackAddress(bare) || bare === 'localhost' || bare.endsWith('.localhost');
}

/** Says whether a host is an IP address that other machines may reach. What a name leads to shows when it is looked up. */
export function isOpenAddress(host: string): boolean {
  return isIP(host) !== 0 && !isLoopbackAddress(host);
}

/** Says whether an IP address, without brackets, is this machine's own and reached from nowhere else. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** A host name or address as part of a URL. */
export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** The same for a browser, which cannot open a wildcard address: this machine stands for it. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return urlHost(host === '::' ? '::1' : host);
}
