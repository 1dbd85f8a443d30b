import { expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { cableTo } from '../support/cable.ts';
import { mostInWindow, wait } from '../support/fleet-host.ts';
import type { FleetHost } from '../support/fleet-host.ts';
import { missingRedis } from '../support/redis-server.ts';
import { limit, startSmallFleet, times, windowMs } from '../support/small-fleet.ts';

describeWhere(missingRedis, 'a host that is cut off from Redis', () => {
  const fleet = ofEachTest(() => startSmallFleet());
  const cable = ofEachTest(() => cableTo(fleet.redis.port));

  const cutHost = (name: string, hostTimes = times) =>
    fleet.host(name, { redisUrl: `redis://127.0.0.1:${cable.port}`, times: hostTimes });
  const codes = (one: FleetHost) => one.cluster.reasons().map(({ code }) => code);

  it('asks for nothing that waited in the network meanwhile and comes when it is whole again (H5)', async () => {
    // A permit that is not used is held for longer than redis-cli holds up this process.
    const long = { ...times, lifeMs: 5_000 };
    const away = await cutHost('away', long);
    const first = await away.limiter.take();
    const release = cable.hold();
    const others = [away.limiter.take(), away.limiter.take()];
    first.spent();
    // The reason itself is gone in a moment: new connections pass.
    await eventually(() => away.logged().includes('Redis cannot be reached'));
    const permits = await Promise.all(others);
    await eventually(() => fleet.redis.command('ZCARD', 'ingestd:{test}:permits') === '2');
    for (const permit of permits) permit.giveBack();
    await eventually(() => fleet.redis.command('ZCARD', 'ingestd:{test}:permits') === '0');
    const calls = () =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(fleet.redis.command('INFO', 'commandstats'))?.[1]);
    const before = calls();
    release();
    await eventually(() => calls() > before);
    expect(fleet.redis.command('ZRANGE', 'ingestd:{test}:permits', '0', '-1')).toBe('');
  });

  it('sends nothing for as long as it is cut off (H1)', async () => {
    const away = await cutHost('away');
    away.work(2);
    await eventually(() => away.arrivals.length > 0, { withinMs: windowMs * 3 });
    cable.cut();
    const cut = performance.now();
    await wait(windowMs * 3);
    expect(away.arrivals.filter((at) => at > cut + times.lifeMs)).toEqual([]);
    expect(away.cluster.reasons()[0]?.message).toMatch(/nothing is sent until it is back/);
    cable.join();
    await eventually(() => codes(away).length === 0);
    await eventually(() => away.arrivals.some((at) => at > cut + windowMs * 3), { withinMs: windowMs * 2 });
    expect(mostInWindow(away.arrivals, windowMs)).toBeLessThanOrEqual(limit);
  });
});
