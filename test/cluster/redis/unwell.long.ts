import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';

import { openCluster } from '../../../src/cluster/open-cluster.ts';
import { systemClock } from '../../../src/lib/time/clock.ts';
import { createLimiter } from '../../../src/remote/limiter.ts';
import { eventually, eventuallyHolds } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import type { Installation } from '../../support/processes/daemon-process.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { scaledTimes } from '../support/fleet-host.ts';
import { addressOf, missingRedis, settle } from '../support/redis-server.ts';
import { startSharedPlaces } from '../support/shared-places.ts';

describeWhere(missingRedis, 'a host whose Redis is not well', () => {
  const places = ofEachTest(() => startSharedPlaces({ ownState: true }));
  let one: Installation;
  beforeEach(async () => {
    one = await places.add('one');
  });

  type Daemon = Awaited<ReturnType<Installation['start']>>;
  const codes = async (daemon: Daemon) => (await daemon.status()).reasons.map(({ code }) => code);
  const readyz = async (daemon: Daemon) => {
    const answer = await daemon.fetch('/readyz');
    return { status: answer.status, text: await answer.text() };
  };

  it('counts what it has to send while Redis is away, says so everywhere, and goes on', async () => {
    await places.redis.kill();
    await writeFile(join(one.inbox, 'a.txt'), 'a');
    const daemon = await one.start();
    await eventuallyHolds(async () =>
      expect(await daemon.status()).toMatchObject({
        state: 'degraded',
        health: 'error',
        queue: { pending: 1 },
        folders: [{ onDisk: 1, pending: 1 }],
        reasons: [{ code: 'redis-unavailable' }],
      }),
    );
    const ready = await readyz(daemon);
    expect([ready.status, ready.text]).toEqual([503, expect.stringContaining('redis-unavailable')]);
    const metrics = await (await daemon.fetch('/metrics')).text();
    expect(metrics).toContain('ingestd_fleet_redis_available 0\n');
    expect(metrics).toContain('ingestd_queue{state="pending"} 1\n');
    await eventually(async () => ((await daemon.status()).folders[0]?.oldestUnsyncedSeconds ?? 0) > 0);
    // A second process is refused as one without a fleet is.
    for (const command of ['run', 'sync']) {
      const second = await one.run(command);
      expect([second.code, second.err]).toEqual([5, expect.stringMatching(/Another ingestd uses the state/)]);
    }
    // Commands that write the ledger do not need Redis.
    expect((await one.run('pause')).code).toBe(0);
    expect((await one.run('resume')).code).toBe(0);
    await places.redis.start();
    settle(places.redis, 'shared');
    await daemon.idle(({ totals, reasons }) => totals.uploaded === 1 && reasons.length === 0);
    expect((await readyz(daemon)).status).toBe(200);
  });

  it('sends nothing while Redis is full, in one state until it is over', async () => {
    const daemon = await one.start();
    await writeFile(join(one.inbox, 'a.txt'), 'a');
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    expect((await readyz(daemon)).status).toBe(200);
    places.redis.command('CONFIG', 'SET', 'maxmemory', '1');
    await eventually(async () => (await codes(daemon)).includes('redis-refuses'));
    for (let count = 0; count < 20; count += 1)
      await writeFile(join(one.inbox, `more-${count}.txt`), `${count}`);
    const permits = places.redis.command('ZCARD', 'ingestd:{shared}:permits');
    const until = performance.now() + 12_000;
    while (performance.now() < until) {
      const { state, health, reasons } = await daemon.status();
      expect([state, health, reasons.map(({ code }) => code)]).toEqual([
        'degraded',
        'error',
        ['redis-refuses'],
      ]);
      expect((await readyz(daemon)).status).toBe(503);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    // Whether a host is gone is not known where none can say that it is there.
    expect(await (await daemon.fetch('/metrics')).text()).not.toContain('ingestd_fleet_host_presence{');
    const fleet = await one.run('status', '--fleet');
    expect([fleet.code, fleet.out, fleet.err]).toEqual([
      1,
      '',
      expect.stringMatching(/Redis refuses a command/),
    ]);
    expect(places.service.requests).toHaveLength(1);
    expect(places.redis.command('ZCARD', 'ingestd:{shared}:permits')).toBe(permits);
    places.redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await daemon.idle(({ totals, reasons }) => totals.uploaded === 21 && reasons.length === 0);
  });

  it('waits one window and no more after a failover, also where it has to take its lease again', async () => {
    const windowMs = 6_000;
    const scaled = scaledTimes(windowMs);
    const times = { ...scaled, lease: { ...scaled.lease, failoverMs: 4_000 } };
    const clock = systemClock;
    let highestFence = 0;
    const open = () =>
      openCluster({
        cluster: {
          redis: addressOf(places.redis.url),
          account: 'failover',
          host: 'a',
          standBy: true,
        },
        service: { ingestUrl: 'https://service.example', requestsPerMinute: 10 },
        username: 'someone',
        state: { dir: one.home.path },
        traces: async () => ({ highestFence, endedFence: 0 }),
        clock,
        log: recordedLog(),
        times,
      });
    settle(places.redis, 'failover');
    const limiterOf = (cluster: Awaited<ReturnType<typeof open>>) =>
      createLimiter({ requestsPerMinute: 10, windowMs, clock, recent: [], source: cluster.permits([]) });
    const first = await open();
    await first.lease?.taken;
    highestFence = first.lease?.fence ?? 0;
    (await limiterOf(first).take()).giveBack();
    await places.redis.kill();
    await first.lease?.lost;
    await first.close();
    const second = await open();
    const back = performance.now();
    await places.redis.start();
    await second.lease?.taken;
    const limiter = limiterOf(second);
    (await limiter.take()).giveBack();
    const waited = performance.now() - back;
    limiter.close();
    await second.close();
    expect(waited).toBeGreaterThanOrEqual(windowMs);
    // The lease rests for 4.6 s of it; one after the other they would take 10.6 s.
    expect(waited).toBeLessThan(windowMs + 3_000);
  });
});
