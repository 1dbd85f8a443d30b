import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { wait } from '../support/fleet-host.ts';
import { missingRedis, settle, startRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { sharedPlaces } from '../support/shared-places.ts';
import type { SharedPlaces } from '../support/shared-places.ts';

/** When the bytes of one upload came, ms of this process. */
interface Upload {
  readonly pieces: number[];
  ended: boolean;
}

describeWhere(missingRedis, 'a holder that freezes in the middle of an upload', () => {
  let redis: RedisServer;
  let server: Server;
  let places: SharedPlaces;
  let uploads: Upload[];
  beforeEach(async () => {
    redis = await startRedis();
    settle(redis, 'shared');
    uploads = [];
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
    const ingestUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    places = sharedPlaces(redis.url, { authUrl: `${ingestUrl}/oauth`, ingestUrl });
  });
  afterEach(async () => {
    await places.remove();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await redis.remove();
  });

  it('sends not one byte more when it wakes up after another has taken over, and stands by (H6)', async () => {
    const slow = { maxKilobytesPerSecond: 400, idleSeconds: 300 };
    const [one, two] = [await places.add('one', slow), await places.add('two', slow)];
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
