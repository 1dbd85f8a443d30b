import { once } from 'node:events';
import { connect } from 'node:net';

import { isWithin } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';

/** Says whether a connection to the host of an address comes about within `ms`. Nothing is sent over it. */
export async function canConnect(address: string, ms: number, clock: Clock): Promise<boolean> {
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const where = { host, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
  const socket = connect(where);
  try {
    return await isWithin(clock, ms, once(socket, 'connect'));
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
