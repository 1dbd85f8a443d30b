import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

import { installationWithService } from '../support/processes/installation-with-service.ts';
import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import { wait } from './support/fleet-host.ts';
import { pieceArrives } from './support/piece-arrives.ts';
import { missingRedis, settle, startRedis } from './support/redis-server.ts';

describeWhere(missingRedis, 'a host that freezes in the middle of an upload', () => {
  const redis = ofEachTest(() => startRedis());
  const place = ofEachTest(() =>
    installationWithService({
      more: {
        // Half a minute for three megabytes, and no patience of its own that would end it.
        service: { maxKilobytesPerSecond: 100, idleSeconds: 300 },
        cluster: { redisUrl: redis.url, account: 'frozen', host: 'frozen' },
      },
    }),
  );

  it('sends not one byte more of it when it wakes up, and sends the document again on another permit (H6)', async () => {
    const { requests } = place.service;
    settle(redis, 'frozen');
    const daemon = await place.start();
    await writeFile(join(place.inbox, 'large.txt'), Buffer.alloc(3_000_000, 'x'));
    await pieceArrives(await eventually(() => requests.find(({ bytes }) => bytes() > 200_000)));
    daemon.signal('SIGSTOP');
    // Longer than its permit holds without a renewal.
    await wait(17_000);
    const woken = performance.now();
    daemon.signal('SIGCONT');
    await eventually(() => requests.length === 2);
    expect(requests[0]?.complete()).toBe(false);
    expect(requests[0]?.lastAt()).toBeLessThan(woken);
    const failing = (await daemon.status()).failures.map(({ code }) => code);
    expect(['permit-lost', undefined]).toContain(failing[0]);
    expect(daemon.log()).not.toMatch(/in doubt/);
    daemon.signal('SIGKILL');
  });
});
