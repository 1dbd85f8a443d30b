import { once } from 'node:events';
import { connect } from 'node:net';

/** Says whether a connection to the host of an address comes about within `ms`. Nothing is sent over it. */
export async function canConnect(address: string, ms: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(ms) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
