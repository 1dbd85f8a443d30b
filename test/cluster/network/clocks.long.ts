import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { jain, mean, mostInWindow } from '../support/fleet-host.ts';
import { fleetSeconds, inFleetSeconds, speed } from './support/fast-clock.ts';
import { deliveries, missingFleet, networkFleet } from './support/network-fleet.ts';
import type { Member, NetworkFleet } from './support/network-fleet.ts';

const limit = 30;

describeWhere(missingFleet(), 'a fleet of hosts whose clocks are wrong', () => {
  let fleet: NetworkFleet;
  let hosts: readonly Member[];
  let holder: Member;
  let standBy: Member;
  let begunAt = 0;
  /** How long after the holder's death its stand-by worked, seconds. */
  let takeover = 0;
  /** When Redis's clock was set, seconds. */
  const jumps: number[] = [];
  const now = () => inFleetSeconds(performance.now() - begunAt);
  const arrivals = () => fleet.service.requests.map(({ at }) => inFleetSeconds(at - begunAt));
  const between = (from: number, to: number) => arrivals().filter((at) => at >= from && at < to);

  beforeAll(async () => {
    fleet = await networkFleet({ requestsPerMinute: limit });
    hosts = [
      await fleet.add('right'),
      await fleet.add('five-minutes-ahead', { skewSeconds: 300 }),
      await fleet.add('an-hour-behind', { skewSeconds: -3_600 }),
    ];
    holder = await fleet.add('holder', { skewSeconds: 3_600, standBy: true });
    standBy = await fleet.add('stand-by', { skewSeconds: -300, sharing: holder });
    for (const host of hosts) await host.fill(90);
    await holder.start();
    await standBy.start();
    await eventually(async () => (await standBy.status()).state === 'standby');
    begunAt = performance.now();
    await Promise.all(hosts.map((host) => host.start()));
    await eventually(() => arrivals().length >= limit, { withinMs: fleetSeconds(60) });
    holder.signal('SIGKILL');
    const died = now();
    await eventually(async () => (await standBy.status()).state !== 'standby', {
      withinMs: fleetSeconds(60),
    });
    takeover = now() - died;
    await eventually(() => arrivals().length >= 2 * limit, { withinMs: fleetSeconds(90) });
    for (const seconds of [3_600, -3_600]) {
      fleet.redisClock.jump(seconds);
      const set = now();
      jumps.push(set);
      await eventually(() => between(set + 30, Infinity).length >= 2 * limit, {
        withinMs: fleetSeconds(240),
      });
    }
  }, 900_000);
  afterAll(() => fleet?.remove());

  it('sends no more than one minute holds in any sixty seconds, as the service sees it', () => {
    expect(mostInWindow(arrivals(), 60)).toBe(limit);
  });

  it('gives each host as much of the minute, whatever its clock says (H7)', () => {
    expect(jain(hosts.map((host) => host.requests().length))).toBeGreaterThanOrEqual(0.95);
  });

  it('hears nothing for one window after Redis’s clock has jumped by an hour, forward and back (H8)', () => {
    // It shows in Redis within two seconds, and in its next answers.
    for (const set of jumps) {
      expect(between(set + 8, set + 60)).toEqual([]);
      expect(between(set + 60, set + 80).length).toBeGreaterThan(0);
    }
    expect(hosts.map((host) => host.log()).join('\n')).toMatch(/"reason":"clock"/);
  });

  it('uses the minute again after that', () => {
    for (const set of jumps) {
      const times = between(set + 30, Infinity).toSorted((a, b) => a - b);
      const spans = times.slice(limit, 2 * limit).map((at, index) => at - (times[index] ?? 0));
      expect(spans).toHaveLength(limit);
      // What this machine takes for them seems longer to fast clocks.
      expect(mean(spans)).toBeLessThanOrEqual(60 / 0.97 + speed - 1);
    }
  });

  it('has a stand-by that takes over within 10 s, though its clock is an hour and five minutes behind', () => {
    expect(takeover).toBeLessThanOrEqual(10);
    // A lease of six seconds, renewed every two.
    expect(takeover).toBeGreaterThan(3.5);
  });

  it('delivers every document once', () => {
    expect(Array.from(deliveries(fleet.service.requests).values()).filter((times) => times > 1)).toEqual([]);
  });
});
