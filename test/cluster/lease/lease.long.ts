import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { openCluster } from '../../../src/cluster/open-cluster.ts';
import { createLease } from '../../../src/cluster/lease/lease.ts';
import type { Lease } from '../../../src/cluster/lease/lease.ts';
import type { LeaseRequest } from '../../../src/cluster/lease/lease-script.ts';
import { fleetTimes } from '../../../src/cluster/fleet-times.ts';
import type { LeaseTimes } from '../../../src/cluster/fleet-times.ts';
import { openLink } from '../../../src/cluster/redis/connection.ts';
import type { RedisLink } from '../../../src/cluster/redis/connection.ts';
import { systemClock } from '../../../src/lib/time/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { cableTo } from '../support/cable.ts';
import type { Cable } from '../support/cable.ts';
import { wait } from '../support/fleet-host.ts';
import { accountAt, addressOf, missingRedis, settle, startRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';

const times = { lifeMs: 1_200, beatMs: 200, watchMs: 200, marginMs: 100, failoverMs: 600 };
const prefix = 'ingestd:{lease}';

describeWhere(missingRedis, 'the lease of a state directory', () => {
  let redis: RedisServer;
  let links: RedisLink[];
  let cables: Cable[];
  /** What the directory says. */
  let traces: NonNullable<LeaseRequest['traces']>;
  beforeEach(async () => {
    redis = await startRedis();
    links = [];
    cables = [];
    traces = { highestFence: 0, endedFence: 0 };
  });
  afterEach(async () => {
    for (const link of links) link.close();
    for (const cable of cables) await cable.remove();
    await redis.remove();
  });

  interface Options {
    readonly port?: number;
    readonly skewMs?: () => number;
    readonly leaseTimes?: LeaseTimes;
  }

  async function hostOf(host: string, options: Options = {}): Promise<Lease> {
    const { port = redis.port, skewMs = () => 0, leaseTimes = times } = options;
    const clock = { ...systemClock, now: () => systemClock.now() + skewMs() };
    let lease: Lease | null = null;
    const link = openLink({
      ...accountAt(`redis://127.0.0.1:${port}`, 'lease'),
      clock,
      log: recordedLog(),
      channels: ['wake'],
      onMessage: () => lease?.ask(),
      onChange: () => lease?.ask(),
    });
    links.push(link);
    await link.tried;
    lease = createLease({
      redis: link,
      name: 'directory',
      host,
      isFirst: false,
      traces: async () => traces,
      times: leaseTimes,
      clock,
      onChange: () => {},
    });
    lease.ask();
    return lease;
  }

  async function cabled(): Promise<Cable> {
    const cable = await cableTo(redis.port);
    cables.push(cable);
    return cable;
  }

  const holder = async (host: string, options?: Options): Promise<Lease> => {
    const lease = await hostOf(host, options);
    await lease.taken;
    const highestFence = Math.max(traces.highestFence, lease.fence);
    traces = { ...traces, highestFence };
    return lease;
  };

  /** How long after its start another host has the lease, ms. */
  const heldBy = async (host: string): Promise<{ readonly lease: Lease; readonly afterMs: number }> => {
    const started = performance.now();
    const lease = await hostOf(host);
    await lease.taken;
    return { lease, afterMs: performance.now() - started };
  };

  it('is one host’s, and the next one’s at once when it is given back, with a higher fence', async () => {
    settle(redis, 'lease');
    const a = await holder('a');
    const b = await hostOf('b');
    await eventually(() => b.holder?.isThere);
    expect(b.holder).toMatchObject({ host: 'a' });
    await wait(times.lifeMs * 1.5);
    expect([a.holds(), b.holds()]).toEqual([true, false]);
    await a.release();
    await eventually(() => b.holds(), { withinMs: times.lifeMs });
    expect([a.fence, b.fence]).toEqual([1, 2]);
  });

  it.each([undefined, 'archive'])(
    'is had at once by who has just made the state directory, named %s, though Redis is new',
    async (host) => {
      const address = addressOf(redis.url);
      const directory = await temporaryFolder();
      const cluster = await openCluster({
        cluster: { redis: address, account: 'lease', host, standBy: true },
        service: { ingestUrl: 'http://127.0.0.1', requestsPerMinute: 50 },
        username: 'a',
        state: { dir: directory.path },
        traces: async () => traces,
        clock: systemClock,
        log: recordedLog(),
      });
      await eventually(() => cluster.lease?.holds(), { withinMs: fleetTimes.lease.lifeMs });
      // Its first request may still found the fleet: no window has begun.
      expect(redis.command('EXISTS', `${prefix}:state`)).toBe('0');
      await cluster.close();
      await directory.remove();
    },
  );

  it('ends for a host that is cut off before another takes it (H4)', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    const a = await holder('a', { port: cable.port });
    const b = await hostOf('b');
    await eventually(() => b.holder?.isThere);
    cable.cut();
    let both = 0;
    await eventually(
      () => {
        if (b.holds() && (a.holds() || !a.lapsed.aborted)) both += 1;
        return b.holds();
      },
      { everyMs: 5 },
    );
    expect([both, a.holds(), b.fence]).toEqual([0, false, 2]);
    await expect(a.confirm()).rejects.toThrow('the lease of the state directory is lost');
    cable.join();
    await wait(times.lifeMs);
    expect([a.holds(), b.holds()]).toEqual([false, true]);
  });

  it('is another host’s within ten seconds of the death of its holder', async () => {
    settle(redis, 'lease');
    const leaseTimes = fleetTimes.lease;
    const a = await holder('a', { leaseTimes });
    const b = await hostOf('b', { leaseTimes });
    await eventually(() => b.holder?.isThere);
    const died = performance.now();
    links[0]?.close();
    await b.taken;
    expect(performance.now() - died).toBeLessThan(10_000);
    expect([a.holds(), b.fence]).toEqual([false, 2]);
  });

  it('stays with its holder where Redis comes back empty, and its fence goes on from the names in the directory (H9)', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    // Redis may take a second to be back.
    const leaseTimes = { ...times, lifeMs: 3_000 };
    const a = await holder('a', { port: cable.port, leaseTimes });
    traces = { ...traces, highestFence: 41 };
    await redis.kill();
    await redis.start();
    const b = await hostOf('b', { leaseTimes });
    await wait(leaseTimes.lifeMs * 1.5);
    expect([a.holds(), b.holds(), b.holder?.host]).toEqual([true, false, 'a']);
    cable.cut();
    await eventually(() => b.holds());
    expect([a.holds(), b.fence]).toEqual([false, 42]);
  });

  it('is nobody’s for as long as it lasts where Redis comes back empty', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    const a = await holder('a', { port: cable.port });
    await redis.kill();
    cable.cut();
    await redis.start();
    const { lease: b, afterMs } = await heldBy('b');
    expect(afterMs).toBeGreaterThan(times.lifeMs / 2);
    expect([a.holds(), b.fence]).toEqual([false, 2]);
  });

  it('is not believed to be free by a Redis that may be an old one (H10)', async () => {
    settle(redis, 'lease');
    await (await holder('a')).release();
    redis.command('SAVE');
    await redis.kill();
    await redis.start();
    expect((await heldBy('b')).afterMs).toBeGreaterThan(times.lifeMs / 2);
  });

  it('is not taken from who may still renew it in a Redis that was replaced', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    await holder('a', { port: cable.port });
    redis.command('SAVE');
    cable.cut();
    await redis.kill();
    await redis.start();
    settle(redis, 'lease');
    const restedMs = times.lifeMs + times.marginMs + times.failoverMs / 2;
    expect((await heldBy('b')).afterMs).toBeGreaterThan(restedMs);
  });

  it('is there at once for whoever finds that its last holder has ended on this machine', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    const a = await holder('a', { port: cable.port });
    cable.cut();
    traces = { highestFence: a.fence, endedFence: a.fence };
    const b = await hostOf('b');
    await eventually(() => b.holds(), { withinMs: times.lifeMs });
    expect(b.fence).toBe(2);
  });

  it('is not there at once where another host has had it since, or Redis may have forgotten who', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    const a = await holder('a', { port: cable.port });
    redis.command('SAVE');
    cable.cut();
    traces = { highestFence: a.fence + 1, endedFence: a.fence };
    const { lease: b, afterMs } = await heldBy('b');
    expect(afterMs).toBeGreaterThan(times.lifeMs / 2);
    await b.release();
    traces = { ...traces, highestFence: a.fence };
    await redis.kill();
    await redis.start();
    expect((await heldBy('c')).afterMs).toBeGreaterThan(times.lifeMs / 2);
  });

  it('is asked for again by a holder whose clock has jumped, before it writes on', async () => {
    settle(redis, 'lease');
    let skew = 0;
    const a = await holder('a', { skewMs: () => skew });
    skew = 3_600_000;
    expect(a.holds()).toBe(false);
    await a.confirm();
    expect([a.holds(), a.fence]).toEqual([true, 1]);
  });
});
