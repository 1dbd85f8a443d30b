import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { mean, mostInWindow } from '../support/fleet-host.ts';
import { fleetSeconds, inFleetSeconds, speed } from './support/fast-clock.ts';
import { deliveries, missingFleet, networkFleet } from './support/network-fleet.ts';
import type { Member, NetworkFleet } from './support/network-fleet.ts';

const limit = 30;
/** Of each host: more than it can send. The connected one has the minute alone for a while. */
const documents = { noRedis: 90, noService: 90, neither: 90, connected: 150 };

describeWhere(missingFleet(), 'a fleet in which some hosts are cut off until the network heals', () => {
  let fleet: NetworkFleet;
  let hosts: Record<keyof typeof documents, Member>;
  /** When all were cut off, and when the network was whole again: ms of this process. */
  let cutAt = 0;
  let healedAt = 0;
  const names = Object.keys(documents) as (keyof typeof documents)[];
  const all = () => names.map((name) => hosts[name]);
  const said = new Map<Member, string>();
  /** Fleet seconds after the cut at which a host's requests arrived. */
  const arrivals = (...members: readonly Member[]) =>
    members.flatMap((member) => member.requests().map(({ at }) => inFleetSeconds(at - cutAt)));
  const within = (member: Member, from: number, to: number) =>
    arrivals(member).filter((at) => at >= from && at < to);
  const whileCut = () => inFleetSeconds(healedAt - cutAt);

  beforeAll(async () => {
    fleet = await networkFleet({ requestsPerMinute: limit });
    const { service } = fleet;
    let answersAfter = 0.2;
    service.always(async (request) => {
      await request.body();
      await delay(fleetSeconds(answersAfter));
      await service.work(request);
    });
    const patience = { responseSeconds: 25 };
    hosts = {
      noRedis: await fleet.add('no-redis'),
      noService: await fleet.add('no-service', { service: patience }),
      neither: await fleet.add('neither', { service: patience }),
      connected: await fleet.add('connected'),
    };
    for (const name of names) await hosts[name].fill(documents[name]);
    await Promise.all(all().map((host) => host.start()));
    await eventually(() => service.requests.length >= limit, { withinMs: fleetSeconds(60) });
    // In the middle of the second minute's requests, with some that are being answered.
    answersAfter = 4;
    await eventually(() => service.requests.length >= limit + 12, { withinMs: fleetSeconds(90) });
    hosts.noRedis.cut('redis');
    hosts.noService.cut('service');
    hosts.neither.cut('redis', 'service');
    cutAt = performance.now();
    answersAfter = 0.2;
    await delay(fleetSeconds(138));
    for (const host of all()) said.set(host, JSON.stringify((await host.status()).reasons));
    hosts.noRedis.heal('redis');
    hosts.noService.heal('service');
    hosts.neither.heal('redis', 'service');
    healedAt = performance.now();
    await delay(fleetSeconds(130));
  }, 900_000);
  afterAll(() => fleet?.remove());

  it('sends no more than one minute holds in any sixty seconds, as the service sees it (H1, H2, H3)', () => {
    expect(mostInWindow(arrivals(...all()), 60)).toBe(limit);
  });

  it('hears nothing more of a host without Redis until it is back', () => {
    expect(within(hosts.noRedis, 4, whileCut())).toEqual([]);
    expect(within(hosts.neither, 4, whileCut())).toEqual([]);
    for (const host of [hosts.noRedis, hosts.neither])
      expect(said.get(host)).toMatch(/redis-unavailable.*nothing is sent until it is back/);
  });

  it('gives the connected hosts all of it, and a host without the service takes it from nobody', () => {
    expect(within(hosts.noService, 4, whileCut())).toEqual([]);
    const connected = within(hosts.connected, 75, whileCut());
    expect(mostInWindow(connected, 60)).toBeGreaterThanOrEqual(limit - 2 * speed);
  });

  it('is whole again without a burst, uses the minute, and every host has its part', () => {
    const after = all().map((host) => within(host, whileCut(), Infinity));
    const sorted = after.flat().toSorted((a, b) => a - b);
    // A host without Redis asks for it every two seconds. From then on so many requests take a minute, or 3 % more.
    // What this machine takes for them seems longer to fast clocks.
    const settled = sorted.filter((at) => at >= whileCut() + 5);
    const spans = settled.slice(limit).map((at, index) => at - (settled[index] ?? 0));
    expect(spans.length).toBeGreaterThan(limit / 2);
    expect(mean(spans)).toBeLessThanOrEqual(60 / 0.97 + speed - 1);
    for (const times of after) expect(times.length).toBeGreaterThanOrEqual(limit / 4 - 2);
  });

  it('delivers every document once, but for those that it reports', async () => {
    for (const host of all()) await host.end();
    for (const host of all()) await host.startWith({ requestsPerMinute: 5_000 });
    await Promise.all(all().map((host) => host.idle()));
    const statuses = await Promise.all(all().map((host) => host.status()));
    expect(statuses.map(({ folders }) => folders[0]?.synced)).toEqual(Object.values(documents));
    const delivered = deliveries(fleet.service.requests);
    expect(delivered.size).toBe(Object.values(documents).reduce((sum, count) => sum + count));
    for (const [index, host] of all().entries()) {
      const more = Array.from(delivered).filter(
        ([text, times]) => text.startsWith(`${host.name} `) && times > 1,
      );
      const surplus = more.reduce((sum, [, times]) => sum + times - 1, 0);
      expect(surplus).toBeLessThanOrEqual(statuses[index]?.possibleDuplicates ?? 0);
    }
    // They lost no answer.
    for (const index of [0, 3]) expect(statuses[index]?.possibleDuplicates).toBe(0);
  });
});
