import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';

import { eventually, eventuallyHolds } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import type { Installation } from '../../support/processes/daemon-process.ts';
import { missingRedis } from '../support/redis-server.ts';
import { startSharedPlaces } from '../support/shared-places.ts';

describeWhere(missingRedis, 'a host that notifies of trouble with Redis', () => {
  const places = ofEachTest(() => startSharedPlaces());
  let one: Installation;
  beforeEach(async () => {
    one = await places.add('one');
  });

  it('notifies of a Redis that is away, and of nothing twice, while it stands by', async () => {
    const sent = one.home.join('sent');
    const cluster = { redisUrl: places.redis.url, account: 'shared', host: 'one', standBy: true };
    const { authUrl, ingestUrl } = places.service;
    const command = ['sh', '-c', `cat >>${sent}`];
    await one.configure({
      service: { authUrl, ingestUrl },
      cluster,
      notify: { command, afterMinutes: 0.25 },
    });
    const events = async (count: number) => {
      const codesOf = async () =>
        (await readFile(sent, 'utf8'))
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as { code: string | null; kind: string; troublesTotal: number })
          .map(({ code, kind, troublesTotal }) => [kind, code, troublesTotal]);
      return eventually(
        async () => {
          const all = await codesOf();
          return all.length >= count ? all : null;
        },
        { withinMs: 90_000 },
      );
    };
    await writeFile(join(one.inbox, 'a.b.txt'), 'a');
    await one.start();
    const before = await events(1);
    expect(before).toEqual([['trouble', expect.any(String), 1]]);
    await places.redis.kill();
    expect(await events(2)).toEqual([...before, ['trouble', 'redis-unavailable', 1]]);
    await eventuallyHolds(async () => expect((await (await one.launched()).status()).state).toBe('degraded'));
    await places.redis.start();
    await eventually(async () => (await (await one.launched()).status()).failuresTotal === 1, {
      withinMs: 60_000,
    });
    await rm(join(one.inbox, 'a.b.txt'));
    expect(await events(3)).toEqual([...before, ['trouble', 'redis-unavailable', 1], ['recovery', null, 0]]);
  }, 240_000);
});
