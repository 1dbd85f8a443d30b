import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { wait } from '../support/fleet-host.ts';
import { missingRedis } from '../support/redis-server.ts';
import { startSharedPlaces } from '../support/shared-places.ts';
import type { SharedPlacesWithServers } from '../support/shared-places.ts';

describeWhere(missingRedis, 'two hosts with one folder and different state directories', () => {
  let places: SharedPlacesWithServers;
  beforeEach(async () => {
    places = await startSharedPlaces({ ownState: true });
  });
  afterEach(() => places.remove());

  it('send it once: the second says who sends it, and begins when that host has stopped (H13)', async () => {
    const [one, two] = [await places.add('one'), await places.add('two')];
    const first = await one.start();
    await writeFile(join(one.inbox, 'a.txt'), 'a');
    await first.idle(({ totals }) => totals.uploaded === 1);
    const second = await two.start();
    const status = await eventually(async () => {
      const now = await second.status();
      return now.folders[0]?.state === 'unavailable' ? now : null;
    });
    expect(status).toMatchObject({ health: 'attention', state: 'degraded' });
    expect(status.reasons).toContainEqual({
      code: 'folder-elsewhere',
      message: 'one sends this folder, with another state directory',
    });
    await writeFile(join(one.inbox, 'b.txt'), 'b');
    await first.idle(({ totals }) => totals.uploaded === 2);
    await two.run('rescan');
    await wait(1_000);
    expect(places.service.requests).toHaveLength(2);
    expect((await first.end('SIGTERM')).code).toBe(0);
    const synced = await second.idle(({ folders }) => folders[0]?.synced === 2);
    expect(synced.health).toBe('ok');
    const pass = await one.run('sync');
    expect([pass.code, pass.err]).toEqual([5, expect.stringMatching(/two sends the folder "inbox"/)]);
    expect((await second.end('SIGTERM')).code).toBe(0);
  }, 60_000);

  it('send it once, where one has only a part of it', async () => {
    const one = await places.add('one');
    await mkdir(join(one.inbox, 'reports'));
    const two = await places.add('two', {}, 'reports');
    const first = await one.start();
    await writeFile(join(one.inbox, 'reports/a.txt'), 'a');
    await first.idle(({ totals }) => totals.uploaded === 1);
    const pass = await two.run('sync');
    expect([pass.code, pass.err]).toEqual([
      5,
      expect.stringMatching(/one sends a folder around the folder "inbox"/),
    ]);
    const second = await two.start();
    await eventually(async () => (await second.status()).folders[0]?.state === 'unavailable');
    expect((await second.status()).reasons).toContainEqual({
      code: 'folder-elsewhere',
      message: 'one sends a folder around this one, with another state directory',
    });
    expect((await first.end('SIGTERM')).code).toBe(0);
    await second.idle(({ folders }) => folders[0]?.synced === 1);
    const back = await one.run('sync');
    expect([back.code, back.err]).toEqual([
      5,
      expect.stringMatching(/two sends a folder inside the folder "inbox"/),
    ]);
    expect((await second.end('SIGTERM')).code).toBe(0);
  }, 60_000);
});
