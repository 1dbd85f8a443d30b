import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';

import { eventually } from '../support/eventually.ts';
import { manualClock } from '../support/manual-clock.ts';
import { call } from './support/call.ts';
import { openStatusWorld } from './support/status-world.ts';
import type { StatusWorld, WorldOptions } from './support/status-world.ts';

const httpToken = '0123456789abcdef';

let world: StatusWorld | null = null;
let other: Server | null = null;

afterEach(async () => {
  await world?.close();
  other?.close();
  world = null;
  other = null;
});

async function takePort(): Promise<number> {
  other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  return (other.address() as { port: number }).port;
}

const open = async (http: NonNullable<WorldOptions['http']>, token: string | null = httpToken) => {
  const clock = manualClock();
  world = await openStatusWorld({ http, clock, httpToken: token });
  return { clock, socketPath: world.socketPath, pages: world.pages };
};

describe('A4: an address of the page that cannot be had', () => {
  it.each([
    ['of no machine here', '192.0.2.1', 'is not an address of this machine; ', httpToken],
    ['without an address', 'no.such.host.invalid', 'has no address; ', httpToken],
    ['without an address, and no token,', 'no.such.host.invalid', 'has no address; ', null],
  ])('for a host %s is told with its key, and the command line is answered', async (_, host, said, token) => {
    const words = `http.host: ${host} ${said}`;
    const { socketPath, pages } = await open({ host, port: 0 }, token);
    const problem = expect.stringContaining(words) as unknown;
    await eventually(() => pages.length > 0);
    expect(pages).toEqual([{ kind: 'unavailable', problem }]);
    expect((await call({ to: socketPath, path: '/healthz' })).status).toBe(200);
  });

  it('for a port in use is tried again after 1 s, then up to a minute, until it is free', async () => {
    const port = await takePort();
    const { clock, pages } = await open({ host: '127.0.0.1', port });
    const problem = expect.stringContaining(`http.port: ${port} is in use by another program`) as unknown;
    const waits: unknown[] = [];
    for (let tries = 1; tries <= 8; tries += 1) {
      await eventually(() => pages.length === tries && clock.untilNext() !== null);
      const wait = clock.untilNext() ?? 0;
      waits.push(wait / 1000);
      await clock.advance(wait);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    await eventually(() => pages.length === 9 && clock.untilNext() !== null);
    expect(pages).toEqual(Array.from({ length: 9 }, () => ({ kind: 'unavailable', problem })));
    other?.close();
    await clock.advance(60_000);
    await eventually(() => pages.length === 10);
    expect(pages.at(-1)).toEqual({ kind: 'open', url: `http://127.0.0.1:${port}` });
    expect((await call({ to: port, path: '/healthz', headers: { host: `127.0.0.1:${port}` } })).status).toBe(
      200,
    );
    expect(clock.untilNext()).toBeNull();
  });

  it('is not tried again once the server is closed', async () => {
    const { clock, pages } = await open({ host: '127.0.0.1', port: await takePort() });
    await eventually(() => pages.length === 1);
    await world?.stop();
    expect(clock.untilNext()).toBeNull();
  });
});

it('S10: an address open to others without a token is refused before anything listens', async () => {
  await expect(openStatusWorld({ http: { host: '0.0.0.0', port: 0 } })).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('INGESTD_HTTP_TOKEN'),
  });
});
