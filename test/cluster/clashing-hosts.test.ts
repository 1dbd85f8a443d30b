import { readdir } from 'node:fs/promises';

import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { systemClock } from '../../src/lib/time/clock.ts';
import type { Status } from '../../src/model/report/status.ts';
import { aStatus } from '../status/support/fake-control.ts';
import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import { fleetHost, scaledTimes } from './support/fleet-host.ts';
import type { FleetHost } from './support/fleet-host.ts';
import { missingRedis, startRedis } from './support/redis-server.ts';
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
  let hosts: FleetHost[];
  beforeEach(async () => {
    redis = await startRedis();
    hosts = [];
  });
  afterEach(async () => {
    for (const host of hosts) await host.close();
    await redis.remove();
  });
  const folder = folderOfEachTest();

  const start = async (name: string): Promise<Publishing> => {
    await folder.write(`${hosts.length}/.keep`, '');
    const stateDir = folder.join(String(hosts.length));
    const host = await fleetHost({
      redisUrl: redis.url,
      name,
      stateDir,
      limit: 50,
      times: scaledTimes(2_000),
      // What is renewed every few seconds is so several times a second.
      clock: { ...systemClock, after: (ms, act) => systemClock.after(Math.min(ms, 200), act) },
    });
    hosts.push(host);
    let health: Status['health'] = 'ok';
    const publish = () => host.cluster.publish(() => aStatus({ health }));
    publish();
    await eventually(() => host.cluster.hosts() > 0);
    const found = () => host.cluster.reasons().filter(({ code }) => code === 'host-name-taken');
    return {
      publish: () => {
        health = health === 'ok' ? 'attention' : 'ok';
        publish();
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
    const first = await start('scanner');
    expect(first.codes()).toEqual([]);
    const second = await start('scanner');
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

  it('begin in one directory at the same moment and know it by one id', async () => {
    for (let round = 0; round < 30; round += 1) {
      await folder.write(`${round}/.keep`, '');
      const at = {
        redisUrl: redis.url,
        stateDir: folder.join(String(round)),
        limit: 50,
        times: scaledTimes(2_000),
      };
      hosts.push(...(await Promise.all(['a', 'b', 'c'].map((name) => fleetHost({ ...at, name })))));
      expect((await readdir(at.stateDir)).toSorted()).toEqual(['.keep', 'id']);
    }
  });

  it('are not taken for two after a restart that came without a word', async () => {
    redis.command('HSET', 'ingestd:{test}:summaries', 'scanner', `${Date.now()} the-run-before {}`);
    const after = await start('scanner');
    after.publish();
    await eventually(() =>
      redis.command('HGET', 'ingestd:{test}:summaries', 'scanner').includes('attention'),
    );
    after.publish();
    await eventually(() => redis.command('HGET', 'ingestd:{test}:summaries', 'scanner').includes('"ok"'));
    expect(after.codes()).toEqual([]);
  });
});
