import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';

import { afterEach, describe, expect, it } from '@jest/globals';

import { dropConnection } from '../../../src/remote/http/watch-connection.ts';
import { eventually } from '../../support/eventually.ts';
import { steps } from '../../support/services/scripted-service.ts';
import { closeWorlds, startClientWorld } from '../client-world.ts';
import { selfSigned } from './self-signed.ts';

/** More than the other side takes without reading, and less than both operating systems hold. */
const bytes = 1_000_000;

describe('a connection that is given up', () => {
  let server: Server;
  /** The server's side of the connection. */
  let far: Socket | null;
  let arrived = 0;
  afterEach(() => {
    far?.destroy();
    server.close();
  });

  async function listen(isEncrypted: boolean): Promise<number> {
    arrived = 0;
    far = null;
    const take = (socket: Socket) => {
      far = socket;
      socket.on('error', () => {});
      socket.on('data', (chunk: Buffer) => (arrived += chunk.length));
      socket.pause();
    };
    server = isEncrypted ? createTlsServer(selfSigned, take) : createServer(take);
    server.on('error', () => {});
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }
  const trusting = { ca: selfSigned.cert, servername: 'localhost' };
  const ways: readonly (readonly [string, boolean, (port: number) => Promise<Socket>])[] = [
    ['as it is', false, async (port) => connect(port, '127.0.0.1')],
    ['encrypted', true, async (port) => connectTls({ port, host: '127.0.0.1', ...trusting })],
    [
      'encrypted, on a connection to a proxy',
      true,
      async (port) => {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect');
        return connectTls({ socket, ...trusting });
      },
    ],
  ];

  it.each(ways)('keeps what was not sent from arriving later: %s (H5)', async (_name, isEncrypted, open) => {
    const near = await open(await listen(isEncrypted));
    near.on('error', () => {});
    await once(near, isEncrypted ? 'secureConnect' : 'connect');
    const closed = once(near, 'close');
    const service = await eventually(() => far);
    near.write(Buffer.alloc(bytes));
    // All of it is the operating system's now.
    await eventually(() => near.writableLength === 0 && queued(near) === 0);
    dropConnection(near);
    await closed;
    const ended = once(service, 'close');
    service.resume();
    await ended;
    expect(arrived).toBeLessThan(bytes);
  });
});

/** Bytes that Node has not given to the operating system. */
function queued(socket: Socket): number {
  const handle = Reflect.get(socket, '_handle') as Handle;
  return ((Reflect.get(handle, '_parent') as Handle | undefined) ?? handle).writeQueueSize;
}

interface Handle {
  readonly writeQueueSize: number;
}

describe('a request that is given up while the service does not read', () => {
  afterEach(closeWorlds);

  it('does not arrive when it reads again', async () => {
    const { service, call } = await startClientWorld({ responseSeconds: 0.2, bytes });
    let far: Socket | undefined;
    service.always((request) => {
      far = request.socket;
      return steps.stopReading()(request);
    });
    const { outcome } = await call('upload');
    expect(outcome).toMatchObject({ kind: 'unknown', code: 'response-timeout' });
    far?.resume();
    await eventually(() => far?.destroyed);
    expect(service.requests.map((request) => request.complete())).toEqual([false]);
  });
});
