import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');

/** Says whether a host name or address, IPv6 with or without brackets, is this machine's loopback. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const family = isIP(bare);
  if (family !== 0) return loopback.check(bare, family === 4 ? 'ipv4' : 'ipv6');
  return bare === 'localhost' || bare.endsWith('.localhost');
}
