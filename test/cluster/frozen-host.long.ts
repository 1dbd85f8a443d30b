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
import { startScriptedService } from '../support/services/scripted-service.ts';
import type { ScriptedService } from '../support/services/scripted-service.ts';

describeWhere(missingRedis, 'a host that freezes in the middle of an upload', () => {
  let redis: RedisServer;
  let service: ScriptedService;
  let place: Installation | null;
  beforeEach(async () => {
    redis = await startRedis();
    service = await startScriptedService();
    place = null;
  });
  afterEach(async () => {
    await place?.remove();
    await service.close();
    await redis.remove();
  });

  it('sends not one byte more of it when it wakes up, and sends the document again on another permit (H6)', async () => {
    const { requests } = service;
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
    await eventually(() => (requests[0]?.bytes() ?? 0) > 200_000, { withinMs: 15_000 });
    daemon.signal('SIGSTOP');
    // Longer than its permit holds without a renewal.
    await wait(17_000);
    const woken = performance.now();
    daemon.signal('SIGCONT');
    await eventually(() => requests.length === 2, { withinMs: 20_000 });
    expect(requests[0]?.complete()).toBe(false);
    expect(requests[0]?.lastAt()).toBeLessThan(woken);
    const failing = (await daemon.status()).failures.map(({ code }) => code);
    expect(['permit-lost', undefined]).toContain(failing[0]);
    expect(daemon.log()).not.toMatch(/in doubt/);
    daemon.signal('SIGKILL');
  }, 90_000);
});
