import { isIPv6 } from 'node:net';
import { isLoopbackAddress } from './is-loopback.ts';

/**
 * Names who is at the other end of a connection, for limits: this machine is one peer under all its loopback
 * addresses, and of IPv6 the network counts, in which a machine has as many addresses as it likes.
 */
export function peerOf({ remoteAddress = '' }: { readonly remoteAddress?: string | undefined }): string {
  if (isLoopbackAddress(remoteAddress)) return 'loopback';
  if (!isIPv6(remoteAddress) || remoteAddress.includes('.')) return remoteAddress.replace(/^::ffff:/i, '');
  const [before = '', after] = remoteAddress.replace(/%.*$/, '').split('::');
  const first = before.split(':').filter(Boolean);
  const last = (after ?? '').split(':').filter(Boolean);
  const zeros = Array.from({ length: after === undefined ? 0 : 8 - first.length - last.length }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}
