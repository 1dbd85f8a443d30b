import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';

import { isOwnPeer } from '../../../src/lib/server/is-own-peer.ts';

const opened: (() => void)[] = [];

afterEach(() => {
  for (const close of opened.splice(0)) close();
});

/** A connection of this process to itself, as its server's end sees it. */
async function connection(
  host: string,
  from?: { localAddress: string; localPort?: number },
): Promise<Socket> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: host === '::' ? '127.0.0.1' : host, ...from });
  const [socket] = (await once(server, 'connection')) as [Socket];
  client.on('error', () => {});
  socket.on('error', () => {});
  opened.push(() => {
    client.destroy();
    socket.destroy();
    server.close();
  });
  return socket;
}

describe('the peer of a connection', () => {
  it.each(['127.0.0.1', '::1', '::'])('is this user, to a server on %s', async (host) => {
    const socket = await connection(host);
    expect(await isOwnPeer(socket)).toBe(true);
    socket.destroy();
    expect(await isOwnPeer(socket)).toBe(false);
  });

  it('is not known by its ports: a connection between other addresses may have the same', async () => {
    const socket = await connection('127.0.0.3', { localAddress: '127.0.0.2' });
    expect(await isOwnPeer(socket)).toBe(true);
    const { localPort = 0, remotePort = 0 } = socket;
    const [localAddress, remoteAddress] = ['127.0.0.1', '127.0.0.1'];
    expect(await isOwnPeer({ localAddress, localPort, remoteAddress, remotePort, destroyed: false })).toBe(
      false,
    );
  });
});
