import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import type { Status } from '../../../src/model/report/status.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import type { Installation } from '../../support/processes/daemon-process.ts';
import { missingRedis } from '../support/redis-server.ts';
import { startSharedPlaces } from '../support/shared-places.ts';
import type { SharedPlacesWithServers } from '../support/shared-places.ts';

describeWhere(missingRedis, 'a host whose Redis answers and takes no writes', () => {
  let places: SharedPlacesWithServers;
  let one: Installation;
  beforeEach(async () => {
    places = await startSharedPlaces();
    one = await places.add('one');
  });
  afterEach(() => places.remove());

  const takeWrites = (yes: boolean) =>
    places.redis.command('CONFIG', 'SET', 'min-replicas-to-write', yes ? '0' : '1');
  const status = async (): Promise<Status> => (await one.launched()).status();
  const codes = ({ reasons }: Status) => reasons.map(({ code }) => code);
  /** Stands by and knows why. */
  const standing = async () => {
    const now = await status();
    return now.state === 'standby' && codes(now).includes('redis-refuses') ? now : null;
  };

  it('stands by, is served all the time, says why, and continues by itself', async () => {
    const first = await one.start();
    await writeFile(join(one.inbox, 'a.txt'), 'a');
    await first.idle(({ totals }) => totals.uploaded === 1);
    takeWrites(false);
    const now = await eventually(standing, { withinMs: 30_000 });
    expect(now.health).toBe('attention');
    expect(now.reasons[0]?.message).toMatch(/no lease .* because Redis refuses commands\. It continues auto/);
    // A lease that Redis only reads has rested by then.
    const end = performance.now() + 20_000;
    while (performance.now() < end) {
      expect((await (await one.launched()).fetch('/healthz')).status).toBe(200);
      expect(codes(await status())).toContain('redis-refuses');
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect((await one.run('health')).code).toBe(0);
    const retried = await one.run('retry');
    expect([retried.code, retried.err]).toEqual([2, expect.stringMatching(/Redis refuses commands/)]);
    await writeFile(join(one.inbox, 'b.txt'), 'b');
    takeWrites(true);
    await eventually(() => places.service.documents.size === 2, { withinMs: 40_000 });
    const { code, err } = await (await one.launched()).end('SIGTERM');
    expect([code, err]).toEqual([0, expect.stringMatching(/the lease of the state directory ran out/)]);
    expect(err).not.toMatch(/another host/);
  }, 150_000);

  it('is served where it starts with a lease of its own that it cannot know to be over', async () => {
    const first = await one.start();
    await first.end('SIGKILL');
    // As on a machine that does not know the process.
    await rm(one.home.join('state/lock'));
    takeWrites(false);
    one.launch();
    const now = await eventually(standing, { withinMs: 60_000 });
    expect(now.health).toBe('attention');
    takeWrites(true);
    await eventually(async () => (await status()).state === 'idle', { withinMs: 40_000 });
  }, 150_000);

  it('notifies of a Redis that refuses it from its first start on', async () => {
    const sent = one.home.join('sent');
    places.redis.command('CONFIG', 'SET', 'requirepass', 'a-password');
    const { authUrl, ingestUrl } = places.service;
    await one.configure({
      service: { authUrl, ingestUrl },
      cluster: { redisUrl: places.redis.url, account: 'shared', host: 'one' },
      notify: { command: ['sh', '-c', `cat >>${sent}`], afterMinutes: 0 },
    });
    const daemon = one.launch();
    const told = await eventually(async () => (await readFile(sent, 'utf8')).includes('redis-unavailable'), {
      withinMs: 30_000,
    });
    expect(told).toBe(true);
    expect(daemon.log()).toMatch(/it requires a password; set INGESTD_REDIS_URL/);
    const doctor = await one.run('check', '--online');
    expect(doctor.out).toMatch(/Redis cannot be reached: it requires a password/);
  }, 60_000);

  it('says that a Redis that drops keys may forget who has what', async () => {
    places.redis.command('CONFIG', 'SET', 'maxmemory', '64mb');
    places.redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const daemon = await one.start();
    expect(daemon.log()).toMatch(/Redis drops data .*maxmemory-policy allkeys-lru/);
    const checked = await one.run('check', '--online', '--json');
    expect(JSON.parse(checked.out)).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ level: 'warning', code: 'redis-evicts' })]),
    });
    places.redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    expect((await one.run('check', '--online')).out).toMatch(/127\.0\.0\.1:\d+: it answers/);
  }, 60_000);

  it('notifies of a Redis that is away, and of nothing twice, while it stands by', async () => {
    const sent = one.home.join('sent');
    const cluster = { redisUrl: places.redis.url, account: 'shared', host: 'one' };
    const { authUrl, ingestUrl } = places.service;
    const command = ['sh', '-c', `cat >>${sent}`];
    await one.configure({
      service: { authUrl, ingestUrl },
      cluster,
      notify: { command, afterMinutes: 0.4 },
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
    expect((await status()).state).toBe('standby');
    await places.redis.start();
    await eventually(async () => (await status()).failuresTotal === 1, { withinMs: 60_000 });
    await rm(join(one.inbox, 'a.b.txt'));
    expect(await events(3)).toEqual([...before, ['trouble', 'redis-unavailable', 1], ['recovery', null, 0]]);
  }, 240_000);
});
