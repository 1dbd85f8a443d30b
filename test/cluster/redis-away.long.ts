import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { cableTo } from './support/cable.ts';
import type { Cable } from './support/cable.ts';
import { mostInWindow, wait } from './support/fleet-host.ts';
import type { FleetHost } from './support/fleet-host.ts';
import { missingRedis } from './support/redis-server.ts';
import { limit, startSmallFleet, times, windowMs } from './support/small-fleet.ts';
import type { SmallFleet } from './support/small-fleet.ts';

describeWhere(missingRedis, 'a host that is cut off from Redis', () => {
  let fleet: SmallFleet;
  let cable: Cable;
  beforeEach(async () => {
    fleet = await startSmallFleet();
    cable = await cableTo(fleet.redis.port);
  });
  afterEach(async () => {
    await fleet.close();
    await cable.remove();
  });

  const cutHost = (name: string, aloneShare: number, hostTimes = times) =>
    fleet.host(name, { aloneShare, redisUrl: `redis://127.0.0.1:${cable.port}`, times: hostTimes });
  const codes = (one: FleetHost) => one.cluster.reasons().map(({ code }) => code);

  it('waits, then sends its share, which the others leave to it, and comes back without a burst (H1)', async () => {
    const away = await cutHost('away', 5);
    const others = await fleet.host('others', { aloneShare: 0 });
    for (const one of [away, others]) one.work(4);
    await eventually(() => fleet.hosts.every(({ arrivals }) => arrivals.length > 0), {
      withinMs: windowMs * 4,
    });
    await wait(windowMs);
    cable.cut();
    const cut = performance.now();
    await eventually(() => codes(away).includes('redis-unavailable'), { withinMs: 10_000 });
    await eventually(() => away.arrivals.some((at) => at > cut + 500), { withinMs: windowMs * 4 });
    const begun = Math.min(...away.arrivals.filter((at) => at > cut + 500));
    expect(begun - cut).toBeGreaterThanOrEqual(windowMs + times.lifeMs - 200);
    expect(away.cluster.reasons()[0]?.message).toMatch(/sends its own share, 5 requests a minute/);
    expect(away.limiter.status()).toMatchObject({ limit: 5 });
    await wait(windowMs * 2.5);
    const within = (one: FleetHost) => one.arrivals.filter((at) => at > begun + windowMs / 2);
    expect(mostInWindow(within(away), windowMs)).toBe(5);
    expect(mostInWindow(within(others), windowMs)).toBe(limit - 5);
    cable.join();
    await eventually(() => codes(away).length === 0, { withinMs: 15_000 });
    await wait(windowMs * 2.5);
    const all = fleet.arrivals();
    expect(mostInWindow(all, windowMs)).toBe(limit);
  }, 90_000);

  it('asks for nothing that waited in the network meanwhile and comes when it is whole again (H5)', async () => {
    // A permit that is not used is held for longer than redis-cli holds up this process.
    const long = { ...times, lifeMs: 5_000 };
    const away = await cutHost('away', 0, long);
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
  }, 60_000);

  it('sends its whole share where each attempt to reach Redis fails at once (H9)', async () => {
    // As in reality, such attempts come more often than signs of life.
    const slowBeat = { ...times, beatMs: 4_000 };
    const away = await fleet.host('away', { times: slowBeat, aloneShare: 5 });
    (await away.limiter.take()).giveBack();
    await fleet.redis.kill();
    away.work(1);
    await eventually(() => away.arrivals.length >= 10, { withinMs: 15_000 });
    expect(mostInWindow(away.arrivals, windowMs)).toBe(5);
  }, 60_000);

  it('sends nothing without a share, for as long as it is cut off (H1)', async () => {
    const away = await cutHost('away', 0);
    away.work(2);
    await eventually(() => away.arrivals.length > 0, { withinMs: windowMs * 3 });
    cable.cut();
    const cut = performance.now();
    await wait(windowMs * 3);
    expect(away.arrivals.filter((at) => at > cut + times.lifeMs)).toEqual([]);
    expect(away.cluster.reasons()[0]?.message).toMatch(/nothing is sent until it is back/);
  }, 60_000);

  it('is given no larger share than the others leave, and says so', async () => {
    const first = await fleet.host('first', { aloneShare: 15 });
    await eventually(() => fleet.redis.command('HGET', 'ingestd:{test}:shares', 'first') === '15');
    const second = await fleet.host('second', { aloneShare: 10 });
    await eventually(() => codes(second).includes('alone-share'));
    expect(second.cluster.reasons().at(-1)?.message).toMatch(/aloneShare is 10, .* leave only 5 /);
    expect(codes(first)).not.toContain('alone-share');
    expect(fleet.redis.command('HGET', 'ingestd:{test}:shares', 'second')).toBe('5');
  }, 60_000);

  it('keeps its share reserved although Redis comes back empty: another host remembers it', async () => {
    const away = await cutHost('away', 5);
    const other = await fleet.host('other', { aloneShare: 0 });
    // The others ask for the shares once a minute, and when they hear of a change.
    await eventually(() => fleet.redis.command('HGET', 'ingestd:{test}:shares', 'away') === '5');
    await wait(times.beatMs * 3);
    cable.cut();
    await fleet.redis.kill();
    await fleet.redis.start();
    await eventually(() => fleet.redis.command('HGET', 'ingestd:{test}:shares', 'away') === '5', {
      withinMs: 15_000,
    });
    other.work(4);
    await eventually(() => other.arrivals.length >= limit - 5, { withinMs: windowMs * 4 });
    await wait(windowMs);
    expect(mostInWindow(other.arrivals, windowMs)).toBe(limit - 5);
    expect(away.arrivals).toEqual([]);
  }, 60_000);
});
