import { afterEach, expect, it } from '@jest/globals';

import { haltFleet } from '../../../src/cluster/fleet/whole-fleet.ts';
import { openLink } from '../../../src/cluster/redis/connection.ts';
import { systemClock } from '../../../src/lib/time/clock.ts';
import { silentLog } from '../../../src/model/ports/log-port.ts';
import { eventually, eventuallyHolds } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { clockLibrary, missingClock } from '../network/support/fast-clock.ts';
import { mostInWindow, scaledTimes, wait } from '../support/fleet-host.ts';
import { accountAt, missingRedis } from '../support/redis-server.ts';
import { limit, startSmallFleet, times, windowMs } from '../support/small-fleet.ts';
import type { SmallFleet } from '../support/small-fleet.ts';

describeWhere(missingRedis ?? missingClock, 'the shared minute, when Redis may have forgotten', () => {
  let fleet: SmallFleet;
  afterEach(() => fleet.close());

  const startThreeHosts = async (...options: Parameters<typeof startSmallFleet>) => {
    fleet = await startSmallFleet(...options);
    for (const name of ['a', 'b', 'c']) await fleet.host(name, { requestMs: () => 30 });
    for (const host of fleet.hosts) host.work(3);
    await eventually(() => fleet.arrivals().length >= limit, { withinMs: windowMs * 3 });
  };

  it.each([
    ['was killed and comes back empty', [], false, /"reason":"lost"/],
    ['was killed and comes back from an old dump', ['--dbfilename', 'old.rdb'], true, /"reason":"restarted"/],
  ])('starts one window without permits where Redis %s (H9, H10)', async (_name, more, isSaved, reason) => {
    await startThreeHosts(more);
    if (isSaved) fleet.redis.command('SAVE');
    await wait(windowMs * 1.2);
    await fleet.redis.kill();
    await eventuallyHolds(() => {
      for (const { cluster } of fleet.hosts)
        expect(cluster.reasons()).toMatchObject([{ code: 'redis-unavailable' }]);
    });
    // What had its permit before may still be on its way, for as long as a permit lives.
    await wait(times.lifeMs);
    // The hosts may be there before `start` hears of it.
    const back = performance.now();
    await fleet.redis.start();
    const later = () => fleet.arrivals().filter((at) => at > back);
    await eventually(() => later().length > limit, { withinMs: windowMs * 4 });
    const first = Math.min(...later());
    expect(first - back).toBeGreaterThanOrEqual(windowMs);
    expect(mostInWindow(fleet.arrivals(), windowMs)).toBeLessThanOrEqual(limit);
    expect(fleet.hosts.map((host) => host.logged()).join()).toMatch(reason);
    await eventually(() => fleet.hosts.every(({ cluster }) => cluster.reasons().length === 0));
  });

  it.each([
    ['the counter of this process went back', ['HSET', 'ingestd:{test}:state', 'seq', '1']],
    ['the places alone are gone', ['DEL', 'ingestd:{test}:permits']],
  ])('starts one window without permits where %s', async (_name, command) => {
    await startThreeHosts();
    fleet.redis.command(...command);
    const set = performance.now();
    await wait(windowMs * 2.5);
    const later = fleet.arrivals().filter((at) => at > set + times.lifeMs);
    expect(mostInWindow(fleet.arrivals(), windowMs)).toBeLessThanOrEqual(limit);
    expect(Math.min(...later) - set).toBeGreaterThanOrEqual(windowMs - 200);
    expect(fleet.hosts.map((host) => host.logged()).join()).toMatch(/"reason":"lost"/);
  });

  it('keeps the pause of the fleet, and does not take back that a person has ended it', async () => {
    await startThreeHosts();
    const account = accountAt(fleet.redis.url, 'test');
    const link = openLink({ ...account, clock: systemClock, log: silentLog });
    await link.tried;
    try {
      const state = `${link.prefix}:state`;
      const arePaused = () =>
        fleet.hosts.every(({ cluster }) => cluster.reasons().some(({ code }) => code === 'fleet-paused'));
      await haltFleet(link, { isHalted: true, host: 'host-0' });
      await eventually(arePaused);
      fleet.redis.command('DEL', state);
      await eventually(() => fleet.redis.command('HGET', state, 'halted').endsWith(' host-0'));
      await haltFleet(link, { isHalted: false, host: 'host-0' });
      const resumed = performance.now();
      await eventually(() => fleet.arrivals().some((at) => at > resumed), { withinMs: windowMs * 4 });
      expect(fleet.redis.command('HGET', state, 'halted')).toBe('');
    } finally {
      link.close();
    }
  });

  it('puts back what is under way, and counts it to its end', async () => {
    fleet = await startSmallFleet();
    // redis-cli holds this process up: its permit must not run out meanwhile.
    const long = scaledTimes(20_000);
    const host = await fleet.host('a', { times: long });
    const permit = await host.limiter.take();
    await permit.guard?.confirm();
    expect(permit.guard?.mayBegin()).toBe(true);
    fleet.redis.command('FLUSHALL');
    const places = () => fleet.redis.command('ZRANGE', 'ingestd:{test}:permits', '0', '-1');
    await eventually(() => places() !== '');
    expect(permit.guard?.mayGoOn()).toBe(true);
    permit.spent();
  });

  it.each([
    ['an hour forward', '+3600'],
    ['an hour back', '-3600'],
  ])('starts one window without permits where the clock of Redis jumps %s (H8)', async (_name, offset) => {
    const folder = await temporaryFolder();
    const file = await folder.write('clock', '+0');
    await startThreeHosts([], {
      LD_PRELOAD: `${clockLibrary}:libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
    await folder.write('clock', offset);
    await eventually(() => fleet.hosts.some((host) => /"reason":"clock"/.test(host.logged())));
    const seen = performance.now();
    const later = () => fleet.arrivals().filter((at) => at > seen + times.lifeMs);
    await eventually(() => later().length > 0, { withinMs: windowMs * 4 });
    await wait(windowMs);
    expect(mostInWindow(fleet.arrivals(), windowMs)).toBeLessThanOrEqual(limit);
    await folder.remove();
  });
});
