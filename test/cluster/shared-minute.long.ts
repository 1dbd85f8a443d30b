import { describe, expect, it } from '@jest/globals';

import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import { cableTo } from './support/cable.ts';
import { mostInWindow, scaledTimes, wait } from './support/fleet-host.ts';
import type { FleetHost } from './support/fleet-host.ts';
import { missingRedis } from './support/redis-server.ts';
import { limit, startSmallFleet, times, windowMs } from './support/small-fleet.ts';

describeWhere(missingRedis, 'the minute that hosts share', () => {
  const fleet = ofEachTest(() => startSmallFleet());

  const opened = () => eventually(() => fleet.arrivals().length > 0, { withinMs: 12_000 });
  const state = (field: string) => Number(fleet.redis.command('HGET', 'ingestd:{test}:state', field));
  const places = () => Number(fleet.redis.command('ZCARD', 'ingestd:{test}:permits'));
  const calls = () =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(fleet.redis.command('INFO', 'commandstats'))?.[1] ?? 0);

  it('is never exceeded by five hosts together, is used, and each has as much of it', async () => {
    const longMs = 4_000;
    const longer = { times: scaledTimes(longMs) };
    for (const name of ['a', 'b', 'c', 'd', 'e']) (await fleet.host(name, longer)).work(3);
    await opened();
    await wait(longMs * 4);
    const all = fleet.arrivals();
    expect(mostInWindow(all, longMs)).toBe(limit);
    const passed = (Math.max(...all) - Math.min(...all)) / longMs;
    // Timers that are late on a busy machine weigh fifteen times more here than in a minute: how much of it is used, and
    // how evenly, is what npm run bench:fleet measures.
    expect((all.length - limit) / passed).toBeGreaterThan(limit / 2);
    for (const { arrivals } of fleet.hosts) expect(arrivals.length).toBeGreaterThan(all.length / 5 / 2);
  });

  describe('of a fleet that is new to Redis', () => {
    const firstAt = (begun: number) => Math.min(...fleet.arrivals()) - begun;
    const expectAWindow = async (host: FleetHost, begun: number): Promise<void> => {
      host.work(1);
      await eventually(() => host.arrivals.length > 0);
      expect(firstAt(begun)).toBeGreaterThanOrEqual(6_000);
    };
    const reason = (host: FleetHost) => host.cluster.reasons().find(({ code }) => code === 'fleet-opens');

    it('begins after two seconds where one host asks that has sent nothing, which says so', async () => {
      const begun = performance.now();
      const one = await fleet.host('a', { account: 'new', times: scaledTimes(10_000) });
      one.work(1);
      const said = await eventually(() => reason(one));
      expect(said.message).toMatch(/^This fleet is new to Redis; .* until /);
      expect(Date.parse(said.until ?? '') - Date.now()).toBeLessThanOrEqual(3_000);
      await eventually(() => one.arrivals.length > 0);
      expect(firstAt(begun)).toBeGreaterThanOrEqual(2_000);
      // Not a whole window.
      expect(firstAt(begun)).toBeLessThan(10_000);
      await eventually(() => one.cluster.reasons().length === 0);
    });

    it('begins after one window where another host asks meanwhile', async () => {
      const begun = performance.now();
      const one = await fleet.host('a', { account: 'new', times: scaledTimes(6_000) });
      await fleet.host('b', { account: 'new', times: scaledTimes(6_000) });
      await expectAWindow(one, begun);
    });

    it('begins after one window where the host has sent something within the last one', async () => {
      const begun = performance.now();
      const recent = [{ id: '1', at: Date.now(), answeredAt: Date.now() }];
      const one = await fleet.host('a', { account: 'new', times: scaledTimes(6_000), recent });
      await expectAWindow(one, begun);
    });

    it('begins after one window where Redis has places of it and nothing else', async () => {
      const long = scaledTimes(6_000);
      const before = await fleet.host('before', { times: long });
      (await before.limiter.take()).spent();
      await before.close();
      fleet.redis.command('DEL', 'ingestd:{test}:state');
      const begun = performance.now();
      const one = await fleet.host('new', { times: long });
      await expectAWindow(one, begun);
    });

    it('begins after one window where a host that is there knows that Redis has forgotten it', async () => {
      const long = scaledTimes(6_000);
      const there = await fleet.host('there', { times: long });
      (await there.limiter.take()).giveBack();
      fleet.redis.command('FLUSHALL');
      const begun = performance.now();
      const one = await fleet.host('new', { times: long });
      one.work(1);
      await eventually(() => one.arrivals.length > 0);
      expect(firstAt(begun)).toBeGreaterThanOrEqual(5_000);
    });
  });

  it('gets back the permits of a host that died with them, so long after its death and no sooner', async () => {
    const alive = await fleet.host('alive');
    const cable = await cableTo(fleet.redis.port);
    const dying = await fleet.host('dying', { redisUrl: `redis://127.0.0.1:${cable.port}` });
    await eventually(() => state('open') > 0 && state('open') < Date.now());
    const taken = await Promise.all(Array.from({ length: limit }, () => dying.limiter.take()));
    expect(taken).toHaveLength(limit);
    for (const { guard } of taken) {
      await guard?.confirm();
      guard?.mayBegin();
    }
    const death = performance.now();
    // As Redis sees it: nothing is spent, nothing renewed.
    cable.cut();
    const permit = await alive.limiter.take();
    const passed = performance.now() - death;
    expect(passed).toBeGreaterThanOrEqual(windowMs + times.lifeMs - times.beatMs);
    expect(passed).toBeLessThan(windowMs + times.lifeMs + times.marginMs + 5_000);
    permit.giveBack();
    // All of them: nothing is gone for good.
    alive.work(5);
    await eventually(() => alive.arrivals.length >= limit);
    await cable.remove();
  });

  it('lets a live change of one host go before the backlog of the others', async () => {
    const busy = await fleet.host('busy', { requestMs: () => 20 });
    const quiet = await fleet.host('quiet');
    busy.work(4, { level: 1, count: 5_000 });
    await opened();
    const waits: number[] = [];
    for (let change = 0; change < 3; change += 1) {
      await wait(windowMs * 0.4);
      const asked = performance.now();
      quiet.limiter.demand?.({ level: 3, count: 1 });
      const permit = await quiet.limiter.take();
      // The first place that comes free is its own; until one does, the whole minute may be taken.
      const freed = busy.arrivals.filter((at) => at > asked + 50).length;
      waits.push(freed);
      permit.spent();
    }
    // What was on its way when it asked may still arrive.
    for (const freed of waits) expect(freed).toBeLessThanOrEqual(4);
  });

  it('gives each host of one priority its share by its demand', async () => {
    const large = await fleet.host('large');
    const small = await fleet.host('small');
    large.work(limit, { level: 1, count: 1_000 });
    small.work(limit / 4, { level: 1, count: limit / 4 });
    await opened();
    await wait(windowMs * 4);
    const [most, least] = [large.arrivals.length, small.arrivals.length];
    expect(most).toBeGreaterThan(least * 1.1);
    expect(least).toBeGreaterThan(limit / 2);
    expect(mostInWindow(fleet.arrivals(), windowMs)).toBeLessThanOrEqual(limit);
  });

  it('wakes a waiting host with a message when a permit is given back, and is not asked meanwhile', async () => {
    const first = await fleet.host('first');
    const second = await fleet.host('second');
    const permits = await Promise.all(Array.from({ length: limit }, () => first.limiter.take()));
    const waiting = second.limiter.take();
    await wait(300);
    const since = performance.now();
    const before = calls();
    await wait(400);
    const asked = calls() - before;
    // Signs of life, renewals of permits that have not begun, of both hosts.
    const passed = performance.now() - since;
    expect(asked).toBeLessThanOrEqual(2 * Math.ceil(passed / (times.validMs / 2)) + 8);
    const given = performance.now();
    permits[0]?.giveBack();
    const permit = await waiting;
    // By time alone, the next place would have come free after more than a window.
    expect(performance.now() - given).toBeLessThan(windowMs);
    permit.giveBack();
    for (const one of permits.slice(1)) one.giveBack();
    await eventually(() => places() === 0);
  });

  it('stops for all when the service asks one host to wait', async () => {
    const asked = await fleet.host('asked');
    const other = await fleet.host('other');
    other.work(2);
    await opened();
    asked.limiter.pause(1_500, 'too busy');
    const paused = performance.now();
    await wait(100);
    const before = other.arrivals.length;
    await wait(1_200);
    expect(other.arrivals.length - before).toBeLessThanOrEqual(2);
    await eventually(() => other.arrivals.some((at) => at > paused + 1_450), { withinMs: 5_000 });
    expect(other.limiter.status().limit).toBe(limit);
  });

  it('counts what a host had sent before it joined', async () => {
    await fleet.host('first');
    await eventually(() => state('open') > 0 && state('open') < Date.now());
    // Only now: they count for a window.
    const now = Date.now();
    const recent = Array.from({ length: 15 }, (_, index) => ({
      id: `r${index}`,
      at: now,
      answeredAt: now + windowMs,
    }));
    await fleet.host('joining', { recent });
    await eventually(() => places() === 15);
  });

  it('costs an idle host fewer than one command a second, and a permit two', async () => {
    const one = await fleet.host('one', { times: { ...times, beatMs: 5_000, validMs: 2_000 } });
    await eventually(() => state('open') > 0 && state('open') < Date.now());
    const before = calls();
    await wait(6_000);
    expect(calls() - before).toBeLessThanOrEqual(2);
    const start = calls();
    for (let count = 0; count < limit; count += 1) {
      const permit = await one.limiter.take();
      permit.giveBack();
      await eventually(() => places() === 0, { everyMs: 1 });
    }
    // One takes it, one gives it back.
    expect(calls() - start).toBeLessThanOrEqual(2 * limit + 3);
  });
});
