import type { IncomingMessage } from 'node:http';
import { isLoopbackAddress } from './is-loopback.ts';

/** Says whether the browser uses TLS: as its form says, or as a proxy on this machine does. */
export function isOverTls({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  if (headers.origin?.startsWith('https://') === true) return true;
  const [forwarded = ''] = [headers['x-forwarded-proto'] ?? ''].flat();
  return forwarded.trim().toLowerCase() === 'https' && isLoopbackAddress(socket.remoteAddress ?? '');
}
