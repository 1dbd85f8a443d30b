import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';

import type { Status } from '../../../src/model/report/status.ts';
import { eventually, eventuallyHolds } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import type { Installation } from '../../support/processes/daemon-process.ts';
import { missingRedis } from '../support/redis-server.ts';
import { startSharedPlaces } from '../support/shared-places.ts';

describeWhere(missingRedis, 'a host whose Redis answers and takes no writes', () => {
  const places = ofEachTest(() => startSharedPlaces());
  let one: Installation;
  beforeEach(async () => {
    one = await places.add('one');
  });

  const takeWrites = (yes: boolean) =>
    places.redis.command('CONFIG', 'SET', 'min-replicas-to-write', yes ? '0' : '1');
  const status = async (): Promise<Status> => (await one.launched()).status();
  const codes = ({ reasons }: Status) => reasons.map(({ code }) => code);
  /** It has no lease any more, and knows why. */
  const standing = async (more: object = {}): Promise<void> =>
    expect(await status()).toMatchObject({
      reasons: [{ code: 'redis-refuses' }],
      folders: [{ state: 'stopped' }],
      ...more,
    });

  it('stands by, is served all the time, says why, and continues by itself', async () => {
    const first = await one.start();
    await writeFile(join(one.inbox, 'a.txt'), 'a');
    await writeFile(join(one.inbox, 'a.b.txt'), 'a');
    await first.idle(({ totals, failuresTotal }) => totals.uploaded === 1 && failuresTotal === 1);
    takeWrites(false);
    const known = {
      health: 'error',
      state: 'degraded',
      rate: { used: 0 },
      folders: [{ state: 'stopped', onDisk: 2, synced: 1, pending: 0, failed: 1 }],
      failuresTotal: 1,
      failures: [{ path: 'a.b.txt' }],
    };
    await eventuallyHolds(() => standing(known));
    // A lease that Redis only reads has rested by then.
    const end = performance.now() + 10_000;
    while (performance.now() < end) {
      expect((await (await one.launched()).fetch('/healthz')).status).toBe(200);
      expect(codes(await status())).toContain('redis-refuses');
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect((await one.run('health')).code).toBe(0);
    const retried = await one.run('retry');
    expect([retried.code, retried.err]).toEqual([2, expect.stringMatching(/Redis refuses a command/)]);
    await writeFile(join(one.inbox, 'b.txt'), 'b');
    takeWrites(true);
    await eventually(() => places.service.documents.size === 2);
    const { code, err } = await (await one.launched()).end('SIGTERM');
    expect([code, err]).toEqual([0, expect.stringMatching(/the lease of the state directory ran out/)]);
    expect(err).not.toMatch(/another host/);
  });

  it('is served where it starts with a lease of its own that it cannot know to be over', async () => {
    const first = await one.start();
    await first.end('SIGKILL');
    // As on a machine that does not know the process.
    await rm(one.home.join('state/lock'));
    takeWrites(false);
    one.launch();
    await eventuallyHolds(standing, { withinMs: 60_000 });
    takeWrites(true);
    await eventually(async () => (await status()).state === 'idle');
  });

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
  });
});
