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
import { startUploadObserver } from './support/upload-observer.ts';
import type { UploadObserver } from './support/upload-observer.ts';

describeWhere(missingRedis, 'a host that freezes in the middle of an upload', () => {
  let redis: RedisServer;
  let service: UploadObserver;
  let place: Installation | null;
  beforeEach(async () => {
    redis = await startRedis();
    service = await startUploadObserver();
    place = null;
  });
  afterEach(async () => {
    await place?.remove();
    await service.close();
    await redis.remove();
  });

  it('sends not one byte more of it when it wakes up, and sends the document again on another permit (H6)', async () => {
    const { uploads } = service;
    settle(redis, 'frozen');
    place = await installation({
      ...service,
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
