import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

import { afterEach, describe, expect, it } from '@jest/globals';

import { systemClock } from '../../../src/daemon/system-clock.ts';
import { createAgents } from '../../../src/remote/http/agents.ts';
import { exchange } from '../../../src/remote/http/exchange.ts';

let server: Server | undefined;
const bodies: string[] = [];

afterEach(() => {
  bodies.length = 0;
  server?.closeAllConnections();
  server?.close();
});

async function startServer(): Promise<string> {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      bodies.push(text);
      response.end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function send(url: string, { body = null, signal }: { body?: Readable | null; signal?: AbortSignal } = {}) {
  const agents = createAgents('http://127.0.0.1');
  const waits = { connectMs: 5_000, idleMs: 5_000, responseMs: 5_000, slowestBytesPerMs: 16 };
  return exchange(
    { method: 'POST', url, headers: {}, body: body === null ? null : { stream: body, bytes: 4 } },
    { agents, clock: systemClock, waits, signal: signal ?? new AbortController().signal },
  );
}

describe('a request', () => {
  it.each([
    ['https://service.test/v1?secret=1', 'service.test:443'],
    ['http://service.test', 'service.test:80'],
    ['http://service.test:8080/', 'service.test:8080'],
  ])('to %s after the end sends nothing and names the host alone: %s', async (url, host) => {
    const ended = await send(url, { signal: AbortSignal.abort() });
    expect(ended).toEqual({ kind: 'fault', code: 'stopped', host, sent: 'nothing' });
  });

  it('whose file has failed before the first byte ends with the code of that', async () => {
    const body = Readable.from([Buffer.from('text')], { objectMode: false });
    body.once('error', () => {});
    body.destroy(Object.assign(new Error('cannot be read'), { code: 'content-unreadable' }));
    await new Promise(setImmediate);
    const ended = await send(await startServer(), { body });
    expect(ended).toMatchObject({ kind: 'fault', code: 'content-unreadable', sent: 'nothing' });
    expect(bodies).toEqual([]);
  });
});
