import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

import { fleetTimes } from '../../../src/cluster/fleet-times.ts';
import { eventually, eventuallyHolds } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { cableTo } from '../support/cable.ts';
import { wait } from '../support/fleet-host.ts';
import { missingRedis } from '../support/redis-server.ts';
import { sharedPlaces, startSharedPlaces } from '../support/shared-places.ts';

describeWhere(missingRedis, 'hosts that share one state directory', () => {
  const places = ofEachTest(() => startSharedPlaces());

  it('work one at a time: the other says that it stands by, and takes over with the same ledger after a kill (H12)', async () => {
    const [one, two] = [await places.add('one'), await places.add('two')];
    const first = await one.start();
    await writeFile(join(one.inbox, 'a.txt'), 'a');
    await first.idle(({ totals }) => totals.uploaded === 1);
    const second = await two.start();
    const standsBy = expect.objectContaining({ message: expect.stringContaining('stands by for one') });
    await eventuallyHolds(async () =>
      expect(await second.status()).toMatchObject({
        state: 'standby',
        health: 'ok',
        reasons: expect.arrayContaining([standsBy]),
      }),
    );
    expect(await eventually(() => second.log().match(/status page/g))).toHaveLength(1);
    expect((await second.fetch('/healthz')).status).toBe(200);
    expect((await second.fetch('/readyz')).status).toBe(503);
    // The figures of the fleet are the same from every host.
    await eventuallyHolds(async () =>
      expect(await (await second.fetch('/metrics')).text()).toContain(
        'ingestd_fleet_host_presence{host="one",presence="here"} 1',
      ),
    );
    expect((await two.run('status')).out).toMatch(/Standing by/);
    expect((await one.run('status')).out).not.toMatch(/Standing by/);
    await one.run('pause', '--fleet');
    await eventuallyHolds(async () =>
      expect(await second.status()).toMatchObject({
        state: 'standby',
        health: 'attention',
        paused: ['inbox'],
        reasons: expect.arrayContaining([expect.objectContaining({ code: 'fleet-paused' })]),
      }),
    );
    expect((await two.run('status')).out).toMatch(/all hosts of the fleet were paused on one/i);
    await one.run('resume', '--fleet');
    await eventually(async () => (await second.status()).paused.length === 0);
    const retried = await two.run('retry');
    expect([retried.code, retried.err]).toEqual([2, expect.stringMatching(/run the command on one/)]);
    // Neither may a pass of its own, nor a second process under the same name.
    const passes = await Promise.all([two.run('sync'), one.run('run')]);
    expect(passes.map(({ code }) => code)).toEqual([5, 5]);
    expect(passes[0]?.err).toMatch(/one holds the state directory/);
    expect(passes[1]?.err).toMatch(/Another ingestd with the name one/);

    await writeFile(join(one.inbox, 'b.txt'), 'b');
    await first.idle(({ totals }) => totals.uploaded === 2);
    const killed = performance.now();
    first.signal('SIGKILL');
    await writeFile(join(one.inbox, 'c.txt'), 'c');
    await eventually(() => places.service.documents.size === 3);
    expect(performance.now() - killed).toBeLessThan(30_000);
    await (await two.launched()).idle(({ folders }) => folders[0]?.synced === 3);
    expect(places.service.requests).toHaveLength(3);
    const names = await readdir(one.home.join('state'));
    expect(names.filter((name) => name.startsWith('ledger.f1.'))).toEqual([]);

    // A clean stop gives the lease back: the next one need not wait.
    const third = await one.start();
    await eventually(async () => (await third.status()).state === 'standby');
    expect((await second.end('SIGTERM')).code).toBe(0);
    const id = (await readFile(one.home.join('state/id'), 'utf8')).trim();
    expect(['', 'one']).toContain(places.redis.command('HGET', `ingestd:{shared}:lease:${id}`, 'host'));
    await eventually(async () => (await (await one.launched()).status()).state === 'idle');
    expect(places.service.requests).toHaveLength(3);
    expect((await (await one.launched()).end('SIGTERM')).code).toBe(0);
  });

  it('stand by where they lose it while they read the ledger', async () => {
    const cable = await cableTo(places.redis.port);
    const cabled = sharedPlaces(`redis://127.0.0.1:${cable.port}`, places.service);
    try {
      const one = await cabled.add('one');
      const first = await one.start();
      await writeFile(join(one.inbox, 'a.txt'), 'a');
      await first.idle(({ totals }) => totals.uploaded === 1);
      expect((await first.end('SIGTERM')).code).toBe(0);
      // A snapshot that takes as long to read as somebody wants.
      const snapshot = one.home.join('state/ledger.f1.json');
      await rename(snapshot, `${snapshot}.kept`);
      expect(spawnSync('mkfifo', [snapshot]).status).toBe(0);
      const launched = one.launch();
      // It knows that it has the lease, and reads.
      await eventually(() => existsSync(one.home.join('state/ledger.f2.claim')));
      cable.cut();
      await wait(fleetTimes.lease.lifeMs + 2 * fleetTimes.lease.beatMs + 2_000);
      const pipe = one.home.join('pipe');
      await rename(snapshot, pipe);
      await copyFile(`${snapshot}.kept`, snapshot);
      await rm(`${snapshot}.kept`);
      await writeFile(pipe, await readFile(snapshot));
      cable.join();
      // It takes its lease back when that has rested.
      const again = async () => (await (await one.launched()).status()).folders[0]?.synced === 1;
      await eventually(again);
      expect(places.service.requests).toHaveLength(1);
      launched.signal('SIGTERM');
      const { code, err } = await launched.finished;
      expect([code, err]).toEqual([
        0,
        expect.stringMatching(/the lease of the state directory ran out because Redis did not renew it/),
      ]);
    } finally {
      await cabled.remove();
      await cable.remove();
    }
  });

  it('stop where they are told to while they take over', async () => {
    const [one, two] = [await places.add('one'), await places.add('two')];
    const first = await one.start();
    await writeFile(join(one.inbox, 'a.txt'), 'a');
    await first.idle(({ totals }) => totals.uploaded === 1);
    const second = await two.start();
    await eventually(async () => (await second.status()).state === 'standby');
    const snapshot = one.home.join('state/ledger.f1.json');
    const kept = one.home.join('kept');
    await rename(snapshot, kept);
    expect(spawnSync('mkfifo', [snapshot]).status).toBe(0);
    expect((await first.end('SIGTERM')).code).toBe(0);
    // It has the lease, and reads the ledger until it is told to stop.
    await eventually(() => existsSync(one.home.join('state/ledger.f2.claim')));
    const ended = second.end('SIGTERM');
    await writeFile(snapshot, await readFile(kept));
    expect((await ended).code).toBe(0);
    expect(places.service.requests).toHaveLength(1);
  });
});
