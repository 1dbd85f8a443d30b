import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import type { PlanReport } from '../../../src/model/report/command-reports.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import type { Installation, RunningDaemon } from '../../support/processes/daemon-process.ts';
import { wait } from '../support/fleet-host.ts';
import { missingRedis, settle } from '../support/redis-server.ts';
import { startSharedPlaces } from '../support/shared-places.ts';
import type { SharedPlacesWithServers } from '../support/shared-places.ts';

describeWhere(missingRedis, 'a folder whose owner is stopped while Redis comes back empty', () => {
  let places: SharedPlacesWithServers;
  let one: Installation;
  let two: Installation;
  let second: RunningDaemon;
  beforeEach(async () => {
    places = await startSharedPlaces({ ownState: true });
    one = await places.add('one');
    two = await places.add('two');
    const first = await one.start();
    await writeFile(join(one.inbox, 'a.txt'), 'a');
    await first.idle(({ totals }) => totals.uploaded === 1);
    second = await two.start();
    await isElsewhere();
    expect((await first.end('SIGTERM')).code).toBe(0);
  }, 60_000);
  afterEach(() => places.remove());

  const isElsewhere = () =>
    eventually(async () => (await second.status()).folders[0]?.state === 'unavailable');
  const folders = () => places.redis.command('HVALS', 'ingestd:{shared}:folders');
  /** So long that a host which has lost what Redis knew would have taken the folder and sent it. */
  const stays = async () => {
    await eventually(() => folders().includes(' one '));
    await wait(3_000);
    await isElsewhere();
    expect(places.service.requests).toHaveLength(1);
  };

  it('stays the owner’s where a host runs that knows (H14)', async () => {
    places.redis.command('FLUSHALL');
    settle(places.redis, 'shared');
    await stays();
    expect((await two.run('why', join(one.inbox, 'a.txt'))).out).toMatch(/one has sent this folder/);
    // The owner goes on with its ledger.
    await writeFile(join(one.inbox, 'b.txt'), 'b');
    const again = await one.start();
    // Redis has forgotten permits, too: nobody sends for one window.
    await again.idle(({ folders: [folder] }) => folder?.synced === 2, 90_000);
    expect(places.service.documents.size).toBe(2);
  }, 150_000);

  it('stays the owner’s where a host starts that knows, and plan says so before', async () => {
    expect((await second.end('SIGTERM')).code).toBe(0);
    await places.redis.kill();
    await places.redis.start();
    settle(places.redis, 'shared');
    const plan = JSON.parse((await two.run('plan', '--json')).out) as PlanReport;
    expect(plan.unavailable).toMatchObject([{ message: expect.stringMatching(/^one has sent this folder/) }]);
    expect(folders()).toBe('');
    expect((await two.run('sync')).code).toBe(5);
    second = await two.start();
    await stays();
    const { out } = await two.run('fleet', 'forget', 'one');
    expect(out).toMatch(/It had 1 folder/);
    await second.idle(({ folders: [folder] }) => folder?.synced === 1);
  }, 90_000);
});
