import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { mostInWindow } from '../support/fleet-host.ts';
import { startRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { fleetSeconds, inFleetSeconds } from './support/fast-clock.ts';
import { missingFleet, networkFleet } from './support/network-fleet.ts';
import type { Member, NetworkFleet } from './support/network-fleet.ts';

const limit = 30;
/** As in the documentation, and less than Sentinel's own thirty seconds. */
const protectedServer = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '10'];
const downAfterMs = 20_000;

describeWhere(
  missingFleet(),
  'a fleet whose network splits, with an old Redis on one side and Sentinel on the other',
  () => {
    let fleet: NetworkFleet;
    let replica: RedisServer;
    let sentinel: ChildProcess;
    let withOld: Member;
    let withNew: Member;
    let splitAt = 0;
    let healedAt = 0;
    const arrivals = (...members: readonly Member[]) =>
      members.flatMap((member) => member.requests().map(({ at }) => inFleetSeconds(at - splitAt)));

    beforeAll(async () => {
      let url = '';
      fleet = await networkFleet({
        requestsPerMinute: limit,
        redisUrl: () => url,
        redisMore: protectedServer,
      });
      const { redis, redisHost } = fleet;
      const host = fleet.host('replica');
      const clock = fleet.clockOf('replica');
      const { address, through } = host;
      const more = ['--protected-mode', 'no', '--replicaof', redisHost.address, String(redis.port)];
      replica = await startRedis({ address, through, more, environment: clock.environment });
      await eventually(() => /master_link_status:up/.test(replica.command('INFO', 'replication')));
      const port = 26_379;
      const file = join(replica.directory, 'sentinel.conf');
      const lines = [
        `port ${port}`,
        `bind ${address}`,
        'protected-mode no',
        `sentinel monitor fleet ${redisHost.address} ${redis.port} 1`,
        `sentinel down-after-milliseconds fleet ${downAfterMs}`,
      ];
      await writeFile(file, `${lines.join('\n')}\n`);
      const env = { ...process.env, ...fleet.clockOf('sentinel').environment() };
      sentinel = spawn('env', [...through, 'redis-server', file, '--sentinel'], { stdio: 'ignore', env });
      url = `redis+sentinel://${address}:${port}/fleet`;
      withOld = await fleet.add('with-old');
      withNew = await fleet.add('with-new');
      for (const member of [withOld, withNew]) await member.fill(90);
      await withNew.start();
      await withOld.start();
      // The other's requests go out when the second window begins, and so soon before the network splits.
      await eventually(() => arrivals(withOld, withNew).length >= limit + 4, { withinMs: fleetSeconds(150) });
      splitAt = performance.now();
      redisHost.moveApart();
      withOld.moveApart();
      await eventually(() => arrivals(withNew).filter((at) => at > 40).length >= 10, {
        withinMs: fleetSeconds(240),
      });
      redisHost.heal('redis');
      withOld.heal('redis');
      healedAt = inFleetSeconds(performance.now() - splitAt);
      await eventually(() => arrivals(withOld).some((at) => at > healedAt), { withinMs: fleetSeconds(150) });
      await delay(fleetSeconds(30));
    }, 900_000);
    afterAll(async () => {
      sentinel?.kill('SIGKILL');
      await replica?.remove();
      await fleet?.remove();
    });

    it('sends no more than one minute holds in any sixty seconds, by either server (H11)', () => {
      expect(mostInWindow(arrivals(withOld, withNew), 60)).toBe(limit);
    });

    it('gets nothing more from the old server soon after the split, and one window passes on the other side', () => {
      expect(arrivals(withOld).filter((at) => at > 15 && at < healedAt)).toEqual([]);
      const later = arrivals(withNew).filter((at) => at > 15);
      expect(Math.min(...later)).toBeGreaterThan(60 + downAfterMs / 1000);
      // No second window, and no detection of its own: the failover and the way back to Redis are the rest.
      expect(Math.min(...later)).toBeLessThan(60 + downAfterMs / 1000 + 12);
    });
  },
);
