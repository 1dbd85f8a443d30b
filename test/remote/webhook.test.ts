import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { postToWebhook } from '../../src/remote/webhook.ts';

describe('a webhook', () => {
  let server: Server;
  let address: string;
  let status: number;
  let arrived: { readonly request: IncomingMessage; readonly text: string }[];

  beforeEach(async () => {
    arrived = [];
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        arrived.push({ request, text });
        response.writeHead(status, { location: '/elsewhere' });
        response.end('words of the other side');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-token`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const post = () =>
    postToWebhook(address, { state: 'ok' }, new AbortController().signal).then(
      () => 'taken',
      (error: Error) => error.message,
    );

  it.each([
    [200, 'taken'],
    [204, 'taken'],
    [300, 'the webhook answered with status 300; redirects are not followed'],
    [307, 'the webhook answered with status 307; redirects are not followed'],
    [399, 'the webhook answered with status 399; redirects are not followed'],
    [400, 'the webhook answered with status 400'],
    [503, 'the webhook answered with status 503'],
  ])('that answers %d is asked once: %s', async (answer, outcome) => {
    status = answer;
    expect(await post()).toBe(outcome);
    expect(arrived).toHaveLength(1);
    expect(arrived[0]?.request).toMatchObject({
      method: 'POST',
      url: '/secret-token',
      headers: { 'content-type': 'application/json' },
    });
    expect(JSON.parse(arrived[0]?.text ?? '')).toEqual({ state: 'ok' });
  });

  it('that cannot be reached is an error that does not name its address', async () => {
    server.close();
    await once(server, 'close');
    expect(await post()).toBe('the webhook cannot be reached (ECONNREFUSED)');
  });
});
