import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { startHoldingService } from '../faults/holding-service.ts';
import type { HoldingService } from '../faults/holding-service.ts';
import { installation } from '../support/daemon-process.ts';
import type { Installation } from '../support/daemon-process.ts';
import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { wait } from './support/fleet-host.ts';
import { missingRedis, settle, startRedis } from './support/redis-server.ts';
import type { RedisServer } from './support/redis-server.ts';

const credentials = {
  apiKey: 'key',
  clientId: 'id',
  clientSecret: 'secret',
  username: 'me',
  password: 'pass',
};

let redis: RedisServer;
let places: Installation[];

interface HostOptions {
  readonly authUrl: string;
  readonly ingestUrl: string;
  readonly service?: object;
}

/** Another host on the state directory and the folder of the first. */
async function hostOf(
  name: string,
  { authUrl, ingestUrl, service = {} }: HostOptions,
): Promise<Installation> {
  const first = places[0];
  const place = await installation({
    authUrl,
    ingestUrl,
    credentials,
    more: {
      service: { authUrl, ingestUrl, ...service },
      cluster: { redisUrl: redis.url, account: 'shared', host: name },
      ...(first === undefined
        ? {}
        : { state: { dir: first.home.join('state') }, folders: [{ name: 'inbox', path: first.inbox }] }),
    },
  });
  places.push(place);
  return place;
}

describeWhere(missingRedis, 'hosts that share one state directory', () => {
  let service: HoldingService;
  beforeEach(async () => {
    redis = await startRedis();
    settle(redis, 'shared');
    service = await startHoldingService();
    places = [];
  });
  afterEach(async () => {
    await Promise.all(places.toReversed().map((place) => place.remove()));
    await service.close();
    await redis.remove();
  });

  it('work one at a time: the other says that it stands by, and takes over with the same ledger after a kill', async () => {
    const [one, two] = [await hostOf('one', service), await hostOf('two', service)];
    const first = await one.start();
    await writeFile(join(one.inbox, 'a.txt'), 'a');
    await first.idle(({ totals }) => totals.uploaded === 1);
    const second = await two.start();
    const standing = await eventually(async () => {
      const now = await second.status();
      return now.reasons.some(({ message }) => message.includes('stands by for one')) ? now : null;
    });
    expect(standing).toMatchObject({ state: 'standby', health: 'ok' });
    expect((await second.fetch('/healthz')).status).toBe(200);
    expect((await second.fetch('/readyz')).status).toBe(503);
    expect((await two.run('status')).out).toMatch(/Standing by/);
    expect((await one.run('status')).out).not.toMatch(/Standing by/);
    const retried = await two.run('retry');
    expect([retried.code, retried.err]).toEqual([2, expect.stringMatching(/run the command on one/)]);
    // Neither may a pass of its own, nor a second process under the same name.
    const passes = await Promise.all([two.run('sync'), one.run('run')]);
    expect(passes.map(({ code }) => code)).toEqual([5, 5]);
    expect(passes[0]?.err).toMatch(/one holds the state directory/);
    expect(passes[1]?.err).toMatch(/Another ingestd with the name one/);

    await writeFile(join(one.inbox, 'b.txt'), 'b');
    await first.idle(({ totals }) => totals.uploaded === 2);
    const killed = performance.now();
    first.signal('SIGKILL');
    await writeFile(join(one.inbox, 'c.txt'), 'c');
    await eventually(() => service.documents.size === 3, { withinMs: 30_000 });
    expect(performance.now() - killed).toBeLessThan(30_000);
    await (await two.launched()).idle(({ folders }) => folders[0]?.synced === 3);
    expect(service.requests).toHaveLength(3);
    const names = await readdir(one.home.join('state'));
    expect(names.filter((name) => name.startsWith('ledger.f1.'))).toEqual([]);

    // A clean stop gives the lease back: the next one need not wait.
    const third = await one.start();
    await eventually(async () => (await third.status()).state === 'standby');
    const stopped = performance.now();
    expect((await second.end('SIGTERM')).code).toBe(0);
    await eventually(async () => (await (await one.launched()).status()).state === 'idle', {
      withinMs: 10_000,
    });
    expect(performance.now() - stopped).toBeLessThan(10_000);
    expect(service.requests).toHaveLength(3);
    expect((await (await one.launched()).end('SIGTERM')).code).toBe(0);
  }, 90_000);
});

/** When the bytes of one upload came, ms of this process. */
interface Upload {
  readonly pieces: number[];
  ended: boolean;
}

describeWhere(missingRedis, 'a holder that freezes in the middle of an upload', () => {
  let server: Server;
  let uploads: Upload[];
  beforeEach(async () => {
    redis = await startRedis();
    settle(redis, 'shared');
    uploads = [];
    places = [];
    server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.url?.startsWith('/oauth') === true) {
        response.end('{"access_token":"t","refresh_token":"r","token_type":"Bearer","expires_in":1800}');
        return;
      }
      const upload: Upload = { pieces: [], ended: false };
      uploads.push(upload);
      const number = uploads.length;
      request.on('error', () => {});
      request.on('data', () => upload.pieces.push(performance.now()));
      request.on('end', () => {
        upload.ended = true;
        response.end(`{"success":{"docId":"doc-${number}","message":""}}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    await Promise.all(places.toReversed().map((place) => place.remove()));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await redis.remove();
  });

  it('sends not one byte more when it wakes up after another has taken over, and stands by', async () => {
    const { port } = server.address() as AddressInfo;
    const ingestUrl = `http://127.0.0.1:${port}`;
    const options = {
      authUrl: `${ingestUrl}/oauth`,
      ingestUrl,
      service: { maxKilobytesPerSecond: 400, idleSeconds: 300 },
    };
    const [one, two] = [await hostOf('one', options), await hostOf('two', options)];
    const first = await one.start();
    await two.start();
    await writeFile(join(one.inbox, 'large.txt'), Buffer.alloc(4_000_000, 'x'));
    await eventually(() => (uploads[0]?.pieces.length ?? 0) > 5, { withinMs: 15_000 });
    first.signal('SIGSTOP');
    await eventually(() => uploads.length === 2, { withinMs: 30_000 });
    const woken = performance.now();
    first.signal('SIGCONT');
    await eventually(async () => (await (await one.launched()).status()).state === 'standby', {
      withinMs: 15_000,
    });
    expect(first.log()).toMatch(/two has taken over/);
    const second = await two.launched();
    const status = await second.idle(({ totals }) => totals.uploaded === 1);
    // What was under way at the takeover may have arrived.
    expect(status.possibleDuplicates).toBe(1);
    expect(uploads).toHaveLength(2);
    expect([uploads[0]?.ended, uploads[1]?.ended]).toEqual([false, true]);
    expect(uploads[0]?.pieces.filter((at) => at > woken)).toEqual([]);
    // Whoever is frozen and comes back is as good as any other: it takes over in its turn.
    await second.end('SIGTERM');
    await (await one.launched()).idle(({ folders }) => folders[0]?.synced === 1);
    await wait(500);
    expect(uploads).toHaveLength(2);
  }, 90_000);
});
