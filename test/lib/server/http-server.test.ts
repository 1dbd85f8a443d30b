import { once } from 'node:events';
import { request } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';

import { createLimitedServer } from '../../../src/lib/server/http-server.ts';
import type { ServerLimits } from '../../../src/lib/server/http-server.ts';
import { eventually } from '../../support/eventually.ts';

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

let server: Server | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.closeAllConnections();
  server?.close();
  if (server?.listening === true) await once(server, 'close');
});

async function serve(handle: RequestListener, limits: ServerLimits = {}): Promise<number> {
  server = createLimitedServer(handle, limits);
  server.listen(0);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function open(port: number): Promise<Socket & { text: () => string }> {
  const socket = connect({ port, host: '127.0.0.1' });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  return Object.assign(socket, { text: () => text });
}

function ask(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ port, host: '127.0.0.1', agent: false }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    call.once('error', reject);
    call.end();
  });
}

const done: RequestListener = (_request, response) => void response.end('done');

const isOver = (socket: Socket) => socket.destroyed || socket.readableEnded;

describe('a limited server', () => {
  it('builds no second answer for a peer that has not read the first', async () => {
    let handled = 0;
    const port = await serve((_request, response) => {
      handled += 1;
      response.end(Buffer.alloc(32 * 1024 * 1024));
    });
    const socket = connect({ port, host: '127.0.0.1' });
    sockets.push(socket);
    socket.on('error', () => {});
    socket.pause();
    socket.write(get.repeat(50));
    await eventually(() => handled === 1);
    expect(await ask(port)).toBe(200);
    expect(handled).toBe(2);
  });

  it('answers pipelined requests in their order, one after the other', async () => {
    let running = 0;
    let most = 0;
    let count = 0;
    const port = await serve((_request, response) => {
      running += 1;
      most = Math.max(most, running);
      const number = (count += 1);
      setImmediate(() => {
        running -= 1;
        response.end(`answer ${number}.`);
      });
    });
    const socket = await open(port);
    socket.write(get.repeat(20));
    await eventually(() => socket.text().includes('answer 20.'));
    expect(most).toBe(1);
    const numbers = Array.from(socket.text().matchAll(/answer (\d+)\./g), ([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('cuts a connection that pipelines more requests than may wait', async () => {
    let handled = 0;
    const port = await serve(() => (handled += 1));
    const socket = await open(port);
    socket.write(get.repeat(1200));
    await eventually(() => isOver(socket));
    expect(handled).toBe(1);
  });

  it('has a request with an unknown expectation handled like any other', async () => {
    const port = await serve(
      (_request, response) => void response.writeHead(200, { 'x-guarded': 'yes' }).end(),
    );
    const socket = await open(port);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\n\r\n');
    await eventually(() => socket.text().includes('\r\n\r\n'));
    expect(socket.text()).toMatch(/^HTTP\/1\.1 200 OK\r\nx-guarded: yes\r\n/);
  });

  it('closes connections beyond its limit, ends those that hold it and say nothing, and lets a client in then', async () => {
    const port = await serve(done, { maxConnections: 10, headersMs: 200 });
    const slow: Awaited<ReturnType<typeof open>>[] = [];
    for (let count = 0; count < 60; count += 1) slow.push(await open(port));
    for (const socket of slow.slice(0, 5)) socket.write('GET / HT');
    await eventually(() => slow.slice(10).every(isOver));
    await expect(ask(port)).rejects.toThrow();
    await eventually(() => slow.every(isOver));
    expect(await ask(port)).toBe(200);
  });

  it('ends requests whose headers or body do not come', async () => {
    const handle: RequestListener = (incoming, response) =>
      void incoming.on('end', () => response.end('done')).resume();
    const port = await serve(handle, { headersMs: 200, requestMs: 400 });
    const headers = await open(port);
    headers.write('GET / HTTP/1.1\r\n');
    const body = await open(port);
    body.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');
    await eventually(() => isOver(headers) && isOver(body));
    expect(headers.text()).toContain('408');
  });
});
