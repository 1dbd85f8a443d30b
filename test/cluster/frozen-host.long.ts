import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { installation } from '../support/processes/daemon-process.ts';
import type { Installation } from '../support/processes/daemon-process.ts';
import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { wait } from './support/fleet-host.ts';
import { missingRedis, settle, startRedis } from './support/redis-server.ts';
import type { RedisServer } from './support/redis-server.ts';

/** When the bytes of one upload came, ms of this process. */
interface Upload {
  readonly begun: number;
  readonly pieces: number[];
  ended: boolean;
}

describeWhere(missingRedis, 'a host that freezes in the middle of an upload', () => {
  let redis: RedisServer;
  let server: Server;
  let uploads: Upload[];
  let place: Installation | null;
  beforeEach(async () => {
    redis = await startRedis();
    uploads = [];
    place = null;
    server = createServer((request, response) => {
      if (request.url?.startsWith('/oauth') === true) {
        response.setHeader('content-type', 'application/json');
        response.end('{"access_token":"t","refresh_token":"r","token_type":"Bearer","expires_in":1800}');
        return;
      }
      const upload: Upload = { begun: performance.now(), pieces: [], ended: false };
      uploads.push(upload);
      request.on('error', () => {});
      request.on('data', () => upload.pieces.push(performance.now()));
      request.on('end', () => {
        upload.ended = true;
        response.setHeader('content-type', 'application/json');
        response.end(`{"success":{"docId":"doc-${uploads.length}","message":""}}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    await place?.remove();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await redis.remove();
  });

  it('sends not one byte more of it when it wakes up, and sends the document again on another permit (H6)', async () => {
    const { port } = server.address() as AddressInfo;
    settle(redis, 'frozen');
    const ingestUrl = `http://127.0.0.1:${port}`;
    place = await installation({
      authUrl: `${ingestUrl}/oauth`,
      ingestUrl,
      more: {
        // Half a minute for three megabytes, and no patience of its own that would end it.
        service: { maxKilobytesPerSecond: 100, idleSeconds: 300 },
        cluster: { redisUrl: redis.url, account: 'frozen', host: 'frozen' },
      },
    });
    const daemon = await place.start();
    await writeFile(join(place.inbox, 'large.txt'), Buffer.alloc(3_000_000, 'x'));
    await eventually(() => (uploads[0]?.pieces.length ?? 0) > 5, { withinMs: 15_000 });
    daemon.signal('SIGSTOP');
    // Longer than its permit holds without a renewal.
    await wait(17_000);
    const woken = performance.now();
    daemon.signal('SIGCONT');
    await eventually(() => uploads.length === 2, { withinMs: 20_000 });
    expect(uploads[0]?.ended).toBe(false);
    expect(uploads[0]?.pieces.filter((at) => at > woken)).toEqual([]);
    const failing = (await daemon.status()).failures.map(({ code }) => code);
    expect(['permit-lost', undefined]).toContain(failing[0]);
    expect(daemon.log()).not.toMatch(/in doubt/);
    daemon.signal('SIGKILL');
  }, 90_000);
});
