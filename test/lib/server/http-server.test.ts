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

/** Answers only when it is told to, each request by the one of these that came for it. */
function waiting() {
  const answers: (() => void)[] = [];
  const handle: RequestListener = (_request, response) => void answers.push(() => response.end('done'));
  return { answers, handle };
}

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

  it('lets a client in while many others hold connections and say nothing', async () => {
    const port = await serve(done, { maxConnections: 10 });
    const slow: Awaited<ReturnType<typeof open>>[] = [];
    for (let count = 0; count < 60; count += 1) slow.push(await open(port));
    for (const socket of slow) if (!isOver(socket)) socket.write('GET / HT');
    expect(await ask(port)).toBe(200);
    await eventually(() => slow.filter((socket) => !isOver(socket)).length <= 10);
  });

  it('answers 503 to a connection that gives way, so that its peer knows that nothing was done', async () => {
    const port = await serve(done, { maxConnections: 1 });
    const socket = await open(port);
    await open(port);
    await eventually(() => isOver(socket));
    expect(socket.text()).toMatch(/^HTTP\/1\.1 503 /);
  });

  it('refuses a new connection while all are at work, and takes it afterwards', async () => {
    const { answers, handle } = waiting();
    const port = await serve(handle, { maxConnections: 2 });
    const first = [ask(port), ask(port)];
    await eventually(() => answers.length === 2);
    expect(await ask(port)).toBe(503);
    for (const answer of answers.splice(0)) answer();
    expect(await Promise.all(first)).toEqual([200, 200]);
    const later = ask(port);
    await eventually(() => answers.length === 1);
    answers[0]?.();
    expect(await later).toBe(200);
  });

  it('has the one give way that has been without a request for longest, and none at work', async () => {
    const { answers, handle } = waiting();
    const port = await serve(handle, { maxConnections: 3 });
    const [used, working, silent] = [await open(port), await open(port), await open(port)];
    used.write(get);
    await eventually(() => answers.length === 1);
    answers.shift()?.();
    await eventually(() => used.text().includes('done'));
    working.write(get);
    await eventually(() => answers.length === 1);
    const later = await open(port);
    await eventually(() => isOver(silent));
    later.write(get);
    await eventually(() => answers.length === 2);
    answers.pop()?.();
    await eventually(() => later.text().includes('done'));
    await open(port);
    await eventually(() => isOver(used));
    expect(isOver(later)).toBe(false);
    answers.shift()?.();
    await eventually(() => working.text().includes('done'));
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

  it('refuses headers that are too large', async () => {
    const port = await serve(done);
    const socket = await open(port);
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`);
    await eventually(() => isOver(socket));
    expect(socket.text()).toContain('431');
  });
});
