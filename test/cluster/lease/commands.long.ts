import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';

import { openCluster } from '../../../src/cluster/open-cluster.ts';
import { systemClock } from '../../../src/lib/time/clock.ts';
import { listLedger } from '../../../src/ledger/ledger-files.ts';
import { prepareDirectory, readLeaseTraces } from '../../../src/ledger/lock-state-directory.ts';
import type { Installation } from '../../support/processes/daemon-process.ts';
import { describeWhere } from '../../support/needs.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { plantedCredentials } from '../../support/planted-secrets.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { addressOf, missingRedis } from '../support/redis-server.ts';
import { startSharedPlaces } from '../support/shared-places.ts';

describeWhere(missingRedis, 'commands that write the ledger of a state directory that hosts share', () => {
  const places = ofEachTest(() => startSharedPlaces());
  let place: Installation;
  beforeEach(async () => {
    place = await places.add('two');
    await writeFile(join(place.inbox, 'a.txt'), 'a');
    await writeFile(place.home.join('documents.csv'), 'folder,path,docId\ninbox,a.txt,doc-1\n');
  });

  /** As a host on another machine has it whose lock file cannot be judged from here: there is none. */
  async function heldElsewhere() {
    const dir = place.home.join('state');
    await prepareDirectory(dir);
    const address = addressOf(places.redis.url);
    const cluster = await openCluster({
      cluster: { redis: address, account: 'shared', host: 'one', standBy: true },
      service: { ingestUrl: places.service.ingestUrl, requestsPerMinute: 50 },
      username: plantedCredentials.username,
      state: { dir },
      traces: () => readLeaseTraces(dir),
      clock: systemClock,
      log: recordedLog(),
    });
    await cluster.lease?.taken;
    return cluster;
  }

  const commands = [
    ['ledger', 'import', 'documents.csv'],
    ['ledger', 'service-moved'],
    ['retry'],
    ['approve', '--yes'],
    ['pause'],
  ];

  it('are refused while another host has its lease, and change nothing', async () => {
    const cluster = await heldElsewhere();
    const results = await Promise.all(commands.map((words) => place.run(...words)));
    for (const { code, err } of results) {
      expect([code, err]).toEqual([
        5,
        expect.stringMatching(/one holds the state directory .*Run the command there\./),
      ]);
    }
    expect((await listLedger(place.home.join('state'))).highestFence).toBe(0);
    await cluster.close();
  });

  it('take the lease where nobody has it, and give it back', async () => {
    const imported = await place.run('ledger', 'import', 'documents.csv');
    expect([imported.code, imported.out]).toEqual([0, '1 document adopted.\n']);
    const begun = performance.now();
    const cluster = await heldElsewhere();
    expect(performance.now() - begun).toBeLessThan(5_000);
    await cluster.close();
    expect((await place.run('retry')).code).toBe(0);
    expect((await place.run('ledger', 'export', '--json')).out).toContain('doc-1');
    // Two commands and the host between them.
    expect((await listLedger(place.home.join('state'))).paths.fence).toBe(3);
  });

  it('take it after a daemon that has folders, leave it those, and leave the lease to the next one', async () => {
    const first = await place.start();
    await first.idle(({ totals }) => totals.uploaded === 1);
    expect((await first.end('SIGTERM')).code).toBe(0);
    const listFolders = () => places.redis.command('HGETALL', 'ingestd:{shared}:folders');
    const folders = listFolders();
    expect(folders).not.toBe('');
    for (const words of [['pause'], ['resume'], ['retry'], ['ledger', 'service-moved']]) {
      const { code, err } = await place.run(...words);
      expect([words, code, err]).toEqual([words, 0, '']);
    }
    expect(listFolders()).toBe(folders);
    const next = await place.start();
    await next.idle();
    // Nobody else has had it: the two daemons and the four commands.
    expect((await listLedger(place.home.join('state'))).paths.fence).toBe(6);
    expect((await next.end('SIGTERM')).code).toBe(0);
  });

  it('are refused while Redis is away: another host may have the lease', async () => {
    expect((await place.run('pause')).code).toBe(0);
    await places.redis.kill();
    const { code, err } = await place.run('resume');
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(
        /Whether another host uses the state directory .* is not known: Redis cannot be reached/,
      ),
    ]);
  });
});
