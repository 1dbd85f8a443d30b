import { afterEach, beforeEach, expect, it } from '@jest/globals';

import type { Status } from '../../src/model/report/status.ts';
import { aStatus } from '../status/support/fake-control.ts';
import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { fleetHost, scaledTimes } from './support/fleet-host.ts';
import type { FleetHost } from './support/fleet-host.ts';
import { missingRedis, settle, startRedis } from './support/redis-server.ts';
import type { RedisServer } from './support/redis-server.ts';

/** A host whose health can be changed: that is published at once. */
interface Publishing {
  readonly publish: () => void;
  readonly codes: () => readonly string[];
  readonly message: () => string;
  readonly close: () => Promise<void>;
}

describeWhere(missingRedis, 'hosts that do not go together', () => {
  let redis: RedisServer;
  let folder: TemporaryFolder;
  let hosts: FleetHost[];
  beforeEach(async () => {
    redis = await startRedis();
    folder = await temporaryFolder();
    hosts = [];
  });
  afterEach(async () => {
    for (const host of hosts) await host.close();
    await redis.remove();
    await folder.remove();
  });

  const start = async (name: string, limit: number): Promise<Publishing> => {
    await folder.write(`${hosts.length}/.keep`, '');
    const stateDir = folder.join(String(hosts.length));
    const host = await fleetHost({ redisUrl: redis.url, name, stateDir, limit, times: scaledTimes(2_000) });
    hosts.push(host);
    let health: Status['health'] = 'ok';
    await eventually(() => redis.command('ZSCORE', 'ingestd:{test}:seen', name) !== '');
    host.cluster.publish(() => aStatus({ health }));
    await eventually(() => host.cluster.hosts() > 0);
    const found = () =>
      host.cluster.reasons().filter(({ code }) => code === 'host-name-taken' || code === 'other-limit');
    return {
      publish: () => {
        health = health === 'ok' ? 'attention' : 'ok';
        host.cluster.noteChange();
      },
      codes: () => found().map(({ code }) => code),
      message: () => found()[0]?.message ?? '',
      close: async () => {
        hosts = hosts.filter((other) => other !== host);
        await host.close();
      },
    };
  };

  it('say that they have one name, and no more when one of them has stopped', async () => {
    const first = await start('scanner', 50);
    const second = await start('scanner', 50);
    expect([first.codes(), second.codes()]).toEqual([[], []]);
    first.publish();
    await eventually(() => first.codes().includes('host-name-taken'));
    expect(first.message()).toBe(
      'another running ingestd of this account is named scanner too (cluster.host)',
    );
    second.publish();
    await eventually(() => second.codes().includes('host-name-taken'));
    await first.close();
    await eventually(() => {
      second.publish();
      return second.codes().length === 0;
    });
  });

  it('are not taken for two after a restart that came without a word', async () => {
    redis.command('HSET', 'ingestd:{test}:limits', 'scanner', `${Date.now()} 50 the-run-before`);
    const after = await start('scanner', 50);
    after.publish();
    await eventually(() =>
      redis.command('HGET', 'ingestd:{test}:summaries', 'scanner').includes('attention'),
    );
    after.publish();
    await eventually(() => redis.command('HGET', 'ingestd:{test}:summaries', 'scanner').includes('"ok"'));
    expect(after.codes()).toEqual([]);
  });

  it('obey the lowest limit of those that may send, and a higher one when that host is gone', async () => {
    settle(redis, 'test');
    const obeyed = () => Number(redis.command('HGET', 'ingestd:{test}:state', 'limit'));
    await start('one', 100);
    await eventually(() => obeyed() === 100);
    const two = await start('two', 50);
    await eventually(() => obeyed() === 50);
    // A new start of a host compares: nothing changes while the one with the lower limit is there.
    const three = await start('three', 100);
    await three.close();
    expect(obeyed()).toBe(50);
    await two.close();
    await start('four', 100);
    await eventually(() => obeyed() === 100);
    // One that is out of reach and may still send its share counts as long as the share is kept for it.
    redis.command('HSET', 'ingestd:{test}:limits', 'away', '1 30 its-run');
    redis.command('HSET', 'ingestd:{test}:shares', 'away', '5');
    await start('five', 100);
    await eventually(() => obeyed() === 30);
    redis.command('HDEL', 'ingestd:{test}:shares', 'away');
    await start('six', 100);
    await eventually(() => obeyed() === 100);
  });

  it('say which of them counts with another limit', async () => {
    await start('one', 50);
    const second = await start('two', 100);
    await eventually(() => second.codes().includes('other-limit'));
    expect(second.message()).toBe(
      'service.requestsPerMinute is 100 here, but 50 on one; together the hosts send at most 50',
    );
    const third = await start('three', 50);
    expect(third.message()).toBe(
      'service.requestsPerMinute is 50 here, but 100 on two; together the hosts send at most 50',
    );
  });
});
