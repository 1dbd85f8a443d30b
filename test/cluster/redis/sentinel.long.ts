import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { afterEach, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { describeWhere } from '../../support/needs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { TemporaryFolder } from '../../support/temporary-folder.ts';
import { fleetHost, mostInWindow, scaledTimes } from '../support/fleet-host.ts';
import type { FleetHost } from '../support/fleet-host.ts';
import { missingRedis, startRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';

const windowMs = 4_000;
const times = scaledTimes(windowMs);
const limit = 20;

describeWhere(missingRedis, 'a fleet on a Redis that Sentinel watches', () => {
  const servers: RedisServer[] = [];
  const hosts: FleetHost[] = [];
  let folder: TemporaryFolder | null = null;
  let sentinel: ChildProcess | null = null;
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()));
    sentinel?.kill('SIGKILL');
    await Promise.all(servers.splice(0).map((server) => server.remove()));
    await folder?.remove();
  });

  it('goes on with the replica when the server dies, after one window, and never exceeds the limit (H11)', async () => {
    folder = await temporaryFolder();
    const first = await startRedis();
    const second = await startRedis({ more: ['--replicaof', '127.0.0.1', String(first.port)] });
    servers.push(first, second);
    await eventually(() => /master_link_status:up/.test(second.command('INFO', 'replication')));
    const port = await freePort();
    const configuration = await folder.write(
      'sentinel.conf',
      [
        `port ${port}`,
        `dir ${folder.path}`,
        `sentinel monitor fleet 127.0.0.1 ${first.port} 1`,
        'sentinel down-after-milliseconds fleet 500',
        'sentinel failover-timeout fleet 3000',
        '',
      ].join('\n'),
    );
    sentinel = spawn('redis-server', [configuration, '--sentinel'], { stdio: 'ignore' });
    for (const name of ['a', 'b']) {
      const redisUrl = `redis+sentinel://127.0.0.1:1,127.0.0.1:${port}/fleet`;
      hosts.push(await fleetHost({ redisUrl, name, stateDir: folder.path, limit, times }));
    }
    for (const host of hosts) host.work(3);
    const arrivals = () => hosts.flatMap((host) => host.arrivals);
    await eventually(() => arrivals().length >= limit);
    await eventually(() => second.command('ZCARD', 'ingestd:{test}:permits') !== '0');
    await first.kill();
    const death = performance.now();
    await eventually(() => second.command('ROLE').startsWith('master'));
    const promoted = performance.now();
    await eventually(() => arrivals().some((at) => at > death + 300));
    expect(Number(second.command('ZCARD', 'ingestd:{test}:permits'))).toBeGreaterThan(0);
    const resumed = Math.min(...arrivals().filter((at) => at > death + 300));
    expect(resumed - death).toBeGreaterThanOrEqual(windowMs);
    // One window after the new server answers, not two.
    expect(resumed - promoted).toBeLessThan(windowMs * 2);
    expect(mostInWindow(arrivals(), windowMs)).toBeLessThanOrEqual(limit);
    expect(hosts.map((host) => host.logged()).join()).toMatch(/"reason":"restarted"/);
  });
});
