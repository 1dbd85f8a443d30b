import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

import type { PlanReport } from '../../../src/commands/make-plan.ts';
import { eventually, eventuallyHolds } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import type { Installation } from '../../support/processes/daemon-process.ts';
import { wait } from '../support/fleet-host.ts';
import { missingRedis } from '../support/redis-server.ts';
import { startSharedPlaces } from '../support/shared-places.ts';

describeWhere(missingRedis, 'two hosts with one folder and different state directories', () => {
  const places = ofEachTest(() => startSharedPlaces({ ownState: true }));

  const sends = 'host one sends this folder, with another state directory';
  const isElsewhere = { code: 'folder-elsewhere', folder: 'inbox', message: sends };
  const unavailable = (host: Awaited<ReturnType<Installation['start']>>, reason: object) =>
    eventuallyHolds(async () =>
      expect(await host.status()).toMatchObject({
        health: 'attention',
        state: 'degraded',
        reasons: [reason],
        folders: [{ state: 'unavailable' }],
      }),
    );
  const had =
    /^host one had this folder until .*; the folder is free a day after that, or when one is started without it$/;
  /** As if the host had been stopped for so long. */
  const age = (ms: number) => {
    const [key = '', text = ''] = places.redis.command('HGETALL', 'ingestd:{shared}:folders').split('\n');
    const rest = text.slice(text.indexOf(' '));
    places.redis.command('HSET', 'ingestd:{shared}:folders', key, `${Date.now() - ms}${rest}`);
  };

  it('send it once: the second says who sends it, and goes on doing so for a day after that host has stopped (H13)', async () => {
    const [one, two] = [await places.add('one'), await places.add('two')];
    const first = await one.start();
    await writeFile(join(one.inbox, 'a.txt'), 'a');
    await first.idle(({ totals }) => totals.uploaded === 1);
    const second = await two.start();
    await unavailable(second, isElsewhere);
    await writeFile(join(one.inbox, 'b.txt'), 'b');
    await first.idle(({ totals }) => totals.uploaded === 2);
    await two.run('rescan');
    expect((await first.end('SIGTERM')).code).toBe(0);
    age(3_600_000);
    await eventually(async () => (await second.status()).reasons.some(({ message }) => had.test(message)));
    await writeFile(join(one.inbox, 'c.txt'), 'c');
    const why = await two.run('why', join(one.inbox, 'c.txt'));
    expect(why.out).toContain('Host one had this folder until');
    await two.run('rescan');
    await wait(1_000);
    expect(places.service.requests).toHaveLength(2);
    // The same ledger has its folder back, and sends what is new.
    const again = await one.start();
    await again.idle(({ folders }) => folders[0]?.synced === 3);
    expect(places.service.documents.size).toBe(3);
    expect((await again.end('SIGTERM')).code).toBe(0);
    expect((await second.end('SIGTERM')).code).toBe(0);
    const pass = await two.run('sync');
    expect([pass.code, pass.err]).toEqual([
      5,
      expect.stringMatching(/inbox: host one (sends|had) this folder/),
    ]);
    const plan = JSON.parse((await two.run('plan', '--json')).out) as PlanReport;
    expect([plan.operations, plan.unavailable]).toEqual([[], [{ folder: 'inbox', message: sends }]]);
    const planned = await one.run('plan', '--json');
    expect(JSON.parse(planned.out)).toMatchObject({ unavailable: [], counts: { unchanged: 3 } });
    expect((await two.run('status')).out).toContain(sends);
    age(24 * 3_600_000 + 1_000);
    expect((await two.run('sync')).code).toBe(0);
    const back = await one.run('sync');
    expect([back.code, back.err]).toEqual([5, expect.stringMatching(/inbox: host two sends this folder/)]);
  });

  it('change over when the first one is started without the folder', async () => {
    const [one, two] = [await places.add('one'), await places.add('two')];
    await (await one.start()).end('SIGTERM');
    const second = await two.start();
    await unavailable(second, isElsewhere);
    await mkdir(one.home.join('other'));
    await one.configure({
      service: { authUrl: places.service.authUrl, ingestUrl: places.service.ingestUrl },
      cluster: { redisUrl: places.redis.url, account: 'shared', host: 'one' },
      folders: [{ name: 'other', path: one.home.join('other') }],
    });
    await one.start();
    await writeFile(join(one.inbox, 'a.txt'), 'a');
    await second.idle(({ folders }) => folders[0]?.synced === 1);
  });

  it('send it once, where it was not there yet when the one started that has it no more (H15)', async () => {
    const [one, two] = [await places.add('one'), await places.add('two')];
    await writeFile(join(one.inbox, 'a.txt'), 'a');
    const before = await two.start();
    await before.idle(({ totals }) => totals.uploaded === 1);
    expect((await before.end('SIGTERM')).code).toBe(0);
    age(24 * 3_600_000 + 1_000);
    const first = await one.start();
    await first.idle(({ folders }) => folders[0]?.synced === 1);
    await rename(one.inbox, `${one.inbox}-away`);
    const second = await two.start();
    await unavailable(second, { code: 'folder-missing' });
    await rename(`${one.inbox}-away`, one.inbox);
    await eventually(async () =>
      (await second.status()).reasons.some(({ code }) => code === 'folder-elsewhere'),
    );
    await writeFile(join(one.inbox, 'b.txt'), 'b');
    await first.idle(({ folders }) => folders[0]?.synced === 2);
    await two.run('rescan');
    await wait(1_000);
    // Each of the two has uploaded the first one; the second document is one host's.
    expect(places.service.requests).toHaveLength(3);
  });

  it('send it once, where another directory was in its place when one of them started', async () => {
    const one = await places.add('one');
    const two = await places.add('two');
    const first = await one.start();
    await writeFile(join(one.inbox, 'a.txt'), 'a');
    await first.idle(({ totals }) => totals.uploaded === 1);
    // As a share that is mounted late.
    const link = two.home.join('link');
    await symlink(two.inbox, link);
    await two.configure({
      service: { authUrl: places.service.authUrl, ingestUrl: places.service.ingestUrl },
      cluster: { redisUrl: places.redis.url, account: 'shared', host: 'two' },
      folders: [{ name: 'inbox', path: link }],
    });
    const second = await two.start();
    await writeFile(join(two.inbox, 'c.txt'), 'c');
    await second.idle(({ totals }) => totals.uploaded === 1);
    await rm(link);
    await symlink(one.inbox, link);
    await unavailable(second, isElsewhere);
    await wait(1_000);
    expect(places.service.requests).toHaveLength(2);
    expect(places.service.documents.size).toBe(2);
    await rm(link);
    await symlink(two.inbox, link);
    await writeFile(join(two.inbox, 'd.txt'), 'd');
    await second.idle(({ folders }) => folders[0]?.synced === 2);
  });
});
