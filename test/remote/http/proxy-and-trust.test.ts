import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { checkAddress } from '../../../src/commands/check/check.ts';
import { describeFault } from '../../../src/remote/http/describe-fault.ts';
import { startScriptedService } from '../../support/services/scripted-service.ts';
import { closeWorlds, startClientWorld } from '../client-world.ts';
import type { ClientWorld } from '../client-world.ts';
import { withoutProxies } from './without-proxies.ts';
import { removeInProcess } from './remove-in-process.ts';
import { selfSigned } from './self-signed.ts';

const waits = { connectSeconds: 5, idleSeconds: 5, responseSeconds: 5 };

interface TestServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

interface TestProxy extends TestServer {
  /** First lines of what it was asked for. */
  readonly asked: readonly string[];
}

describe('proxies and certificates', () => {
  withoutProxies();
  const closing: (() => void | Promise<void>)[] = [];
  let world: ClientWorld;

  beforeEach(async () => {
    world = await startClientWorld();
  });
  afterEach(async () => {
    await closeWorlds();
    for (const close of closing.splice(0).toReversed()) await close();
  });

  /** One whose certificate this process does not trust. */
  async function startSafe() {
    const service = await startScriptedService({ tls: selfSigned });
    closing.push(service.close);
    return service;
  }

  /** By a client that is made for it, with the proxies of the environment as it is then. */
  async function remove(ingestUrl: string, connectSeconds = 5) {
    const { call, limiter } = await startClientWorld({ ingestUrl, connectSeconds });
    const { outcome } = await call('remove');
    return { outcome, used: limiter.status().used };
  }

  it('N32: reaches a plain address through HTTP_PROXY', async () => {
    const proxy = await startProxy(world.service.port, closing);
    process.env['HTTP_PROXY'] = `http://127.0.0.1:${proxy.port}`;
    expect((await remove('http://service.test')).outcome).toMatchObject({ kind: 'accepted' });
    expect((await remove('http://service.test')).outcome).toMatchObject({ kind: 'accepted' });
    expect(proxy.asked[0]).toMatch(/^DELETE http:\/\/service\.test\/services\/.* HTTP\/1\.1$/);
    expect(proxy.asked).toHaveLength(2);
  });

  it('N32: asks the proxy for a tunnel to a safe address, and shows it no secret', async () => {
    const safe = await startSafe();
    const proxy = await startProxy(safe.port, closing);
    process.env['HTTPS_PROXY'] = `http://127.0.0.1:${proxy.port}`;
    // The certificate at the other end is not trusted here: that it was seen shows that the tunnel stood.
    expect((await remove('https://service.test')).outcome).toMatchObject({
      kind: 'misaddressed',
      code: 'tls',
    });
    expect(proxy.asked).toEqual(['CONNECT service.test:443 HTTP/1.1']);
    expect(safe.requests).toHaveLength(0);
  });

  it('delivers through the tunnel when NODE_EXTRA_CA_CERTS names the certificate', async () => {
    const safe = await startSafe();
    const proxy = await startProxy(safe.port, closing);
    const certificate = await world.folder.write('ca.pem', selfSigned.cert);
    const [outcome] = await removeInProcess(world.service.authUrl, ['https://service.test'], {
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
      NODE_EXTRA_CA_CERTS: certificate,
    });
    expect(outcome).toMatchObject({ kind: 'accepted' });
    expect(proxy.asked).toEqual(['CONNECT service.test:443 HTTP/1.1']);
    expect(safe.requests[0]?.headers['authorization']).toBe('Bearer token-1');
  });

  it.each([
    [407, 'misaddressed', 'proxy-authentication'],
    [403, 'unavailable', 'proxy-refused'],
    [503, 'unavailable', 'proxy-refused'],
    [0, 'unavailable', 'proxy-refused'],
  ])(
    'does not take a %i of the proxy (0: it hangs up) for the service’s word',
    async (status, kind, code) => {
      const proxy = await startProxy(world.service.port, closing, status);
      process.env['HTTPS_PROXY'] = `http://127.0.0.1:${proxy.port}`;
      expect((await remove('https://service.test')).outcome).toMatchObject({ kind, code });
      expect(await checkAddress('https://service.test', waits)).toMatchObject([
        {
          code: 'service-unreachable',
          message: `cannot be reached by way of the proxy http://127.0.0.1:${proxy.port}: ${describeFault(code).message}`,
        },
      ]);
      expect(world.service.requests).toHaveLength(0);
    },
  );

  it('is a finding of check where its address is invalid', async () => {
    process.env['HTTPS_PROXY'] = 'me and you';
    expect(await checkAddress('https://service.test', waits)).toMatchObject([
      { code: 'service-unreachable', message: expect.stringContaining('HTTPS_PROXY') },
    ]);
  });

  it.each([
    ['127.0.0.1:1', /the connection was refused/],
    ['proxy.invalid:3128', /the host name/],
  ])('names a proxy that cannot be reached: %s', async (place, words) => {
    process.env['HTTPS_PROXY'] = `http://me:secret@${place}`;
    const { outcome } = await remove('https://service.test');
    expect(outcome).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining(`by way of the proxy http://${place}`),
    });
    expect(JSON.stringify(outcome)).not.toContain('secret');
    expect(outcome).toMatchObject({ message: expect.stringMatching(words) });
  });

  it('goes past the proxy to what NO_PROXY names', async () => {
    const proxy = await startProxy(world.service.port, closing);
    process.env['HTTP_PROXY'] = `http://127.0.0.1:${proxy.port}`;
    process.env['NO_PROXY'] = 'service.invalid';
    expect((await remove('http://service.invalid')).outcome).toMatchObject({
      kind: 'unavailable',
      sent: 'nothing',
    });
    expect(proxy.asked).toHaveLength(0);
  });

  it('goes past the proxy to this machine’s own addresses', async () => {
    process.env['HTTP_PROXY'] = 'http://127.0.0.1:9';
    expect((await remove(world.service.ingestUrl)).outcome).toMatchObject({ kind: 'accepted' });
    expect((await remove(`http://localhost:${world.service.port}`)).outcome).toMatchObject({
      kind: 'accepted',
    });
  });

  it('sends nothing to an address whose certificate cannot be trusted (N2)', async () => {
    const { port, requests } = await startSafe();
    expect((await remove(`https://127.0.0.1:${port}`)).outcome).toMatchObject({
      kind: 'misaddressed',
      code: 'tls',
    });
    expect(requests).toHaveLength(0);
  });

  it('sends nothing to an address that does not speak TLS', async () => {
    const { port } = await startPlain(closing);
    expect((await remove(`https://127.0.0.1:${port}`)).outcome).toMatchObject({
      kind: 'misaddressed',
      code: 'tls',
    });
  });

  it('gives up a connection that is never made, and nothing went out (N3)', async () => {
    const { outcome, used } = await remove(`https://127.0.0.1:${world.service.port}`, 0.2);
    expect(outcome).toMatchObject({ kind: 'unavailable', code: 'connect-timeout', sent: 'nothing' });
    expect(used).toBe(0);
  });
});

type Closing = (() => void | Promise<void>)[];

async function listen(server: Server, closing: Closing): Promise<TestServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  closing.push(close);
  return { port: (server.address() as AddressInfo).port, close };
}

/** Joins whatever it is asked for to `target`; with `status`, refuses CONNECT with it. */
async function startProxy(target: number, closing: Closing, status = 200): Promise<TestProxy> {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.once('data', (chunk: Buffer) => {
      asked.push(chunk.toString('latin1').split('\r\n')[0] ?? '');
      const isTunnel = chunk.toString('latin1').startsWith('CONNECT ');
      if (isTunnel && status !== 200) {
        socket.end(status === 0 ? '' : `HTTP/1.1 ${status} No\r\nContent-Length: 2\r\n\r\nno`);
        return;
      }
      const onward = connect(target, '127.0.0.1');
      onward.on('error', () => socket.destroy());
      if (isTunnel) socket.write('HTTP/1.1 200 OK\r\n\r\n');
      else onward.write(chunk);
      socket.pipe(onward).pipe(socket);
      socket.on('close', () => onward.destroy());
    });
  });
  return { ...(await listen(server, closing)), asked };
}

function startPlain(closing: Closing): Promise<TestServer> {
  const server = createServer((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  );
  return listen(server, closing);
}
