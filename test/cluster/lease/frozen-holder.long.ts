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
import { startScriptedService } from '../../support/services/scripted-service.ts';
import type { ScriptedService } from '../../support/services/scripted-service.ts';

describeWhere(missingRedis, 'a holder that freezes in the middle of an upload', () => {
  let redis: RedisServer;
  let service: ScriptedService;
  let places: SharedPlaces;
  beforeEach(async () => {
    redis = await startRedis();
    settle(redis, 'shared');
    service = await startScriptedService();
    places = sharedPlaces(redis.url, service);
  });
  afterEach(async () => {
    await places.remove();
    await service.close();
    await redis.remove();
  });

  it('sends not one byte more when it wakes up after another has taken over, and stands by (H6)', async () => {
    const { requests } = service;
    const slow = { maxKilobytesPerSecond: 400, idleSeconds: 300 };
    const [one, two] = [await places.add('one', slow), await places.add('two', slow)];
    const first = await one.start();
    await two.start();
    await writeFile(join(one.inbox, 'large.txt'), Buffer.alloc(4_000_000, 'x'));
    await eventually(() => (requests[0]?.bytes() ?? 0) > 200_000, { withinMs: 15_000 });
    first.signal('SIGSTOP');
    await eventually(() => requests.length === 2, { withinMs: 30_000 });
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
    expect(requests).toHaveLength(2);
    expect(requests.map(({ complete }) => complete())).toEqual([false, true]);
    expect(requests[0]?.lastAt()).toBeLessThan(woken);
    // Whoever is frozen and comes back is as good as any other: it takes over in its turn.
    await second.end('SIGTERM');
    await (await one.launched()).idle(({ folders }) => folders[0]?.synced === 1);
    await wait(500);
    expect(requests).toHaveLength(2);
  }, 90_000);
});
