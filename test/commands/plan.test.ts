import { readFile, rename } from 'node:fs/promises';
import { expect, it } from '@jest/globals';

import { makePlan } from '../../src/commands/make-plan.ts';
import type { PlanReport } from '../../src/commands/make-plan.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { systemClock } from '../../src/lib/time/clock.ts';
import { silentLog } from '../../src/model/ports/log-port.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';

const folder = ofEachTest(() => trialFolder({ timing: { settleMs: 0 } }));

it('counts the requests of this minute in the time that it takes', async () => {
  await folder.write('inbox/a.txt', 'text');
  const { settings } = await loadConfiguration({ env: {}, cwd: folder.path });
  const plan = () => makePlan({ settings, makesFolders: true, fleet: null });
  expect(await plan()).toMatchObject({ requests: 1, seconds: 0 });
  const ledger = await openLedger({ dir: settings.state.dir, clock: systemClock, log: silentLog });
  const at = Date.now();
  for (let id = 0; id < 50; id += 1) await ledger.commit([{ kind: 'sent', id: String(id), at }]);
  await ledger.close();
  const { seconds } = await plan();
  expect(seconds).toBeGreaterThan(30);
  expect(seconds).toBeLessThanOrEqual(60);
});

it('tells of the held deletions of a folder that is not there', async () => {
  await folder.write('inbox/a.txt', 'text');
  await folder.run('sync');
  await rename(folder.join('inbox'), folder.join('away'));
  const ledger = await openLedger({ dir: folder.join('state'), clock: systemClock, log: silentLog });
  const hold = { since: Date.now(), reason: 'too many', documents: 12 };
  await ledger.commit([{ kind: 'hold', folder: 'inbox', hold }]);
  await ledger.close();
  expect((await folder.run('plan')).stdout).toMatch(
    /^12 deletions held, for you to approve when the folder is available again:\n {2}inbox: too many$/m,
  );
  expect((await folder.run('sync')).stdout).toMatch(
    /^12 deletions held, for you to approve when the folder is available again$/m,
  );
  expect((await folder.run('check')).stdout).toMatch(/too many\n {2}Decide about them when the folder is/);
  const { code, stderr } = await folder.run('approve');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/the folder "inbox" .* is unavailable/)]);
  expect((await folder.run('status')).stdout).toMatch(
    /too many\n {4}for you to approve when the folder is available again$/m,
  );
});

it('regards the bandwidth in the time that it takes', async () => {
  const slow = await readFile(folder.join('ingestd.yaml'), 'utf8');
  await folder.write(
    'ingestd.yaml',
    slow.replace('mode: embedded', 'mode: embedded\n  maxKilobytesPerSecond: 10'),
  );
  await folder.write('inbox/a.pdf', 'x'.repeat(100_000));
  await folder.write('inbox/a.pdf.attachments/b.txt', 'x'.repeat(200_000));
  const { stdout } = await folder.run('plan', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ requests: 1, bytes: 300_000, seconds: 30 });
  expect((await folder.run('plan')).stdout).toContain('1 upload: 1 request, about 30 seconds.');
});

it('gathers what is not sent for one cause, and gives no moment for what is paused', async () => {
  for (const id of ['1', '2', '3', '4', '5', '6']) {
    await folder.write(`inbox/${id}.txt`, id);
    await folder.write(`inbox/${id}.txt.meta.json`, `{"key${id}": 1}`);
  }
  await folder.write('inbox/fit.txt', 'text');
  await folder.run('pause', 'inbox');
  const { stdout } = await folder.run('plan');
  expect(stdout).toMatch(/^failed {6}6 documents in inbox: Invalid sidecar$/m);
  expect(stdout).toContain('1 upload: 1 request, a few seconds once requests go out again.');
});

it('says with which sharing mode and which attachments a document would be sent', async () => {
  await folder.write('inbox/report.txt', 'a report');
  await folder.write('inbox/report.txt.meta.json', '{"shareInfo": {"mode": "EVERYONE"}}');
  await folder.write('inbox/report.txt.attachments/x.csv', '1');
  const planned = async () =>
    (JSON.parse((await folder.run('plan', '--json')).stdout) as PlanReport).operations
      .filter(({ path }) => path === 'report.txt')
      .map(({ kind, sharing, attachments }) => ({ kind, sharing, attachments }));
  const lines = async () => (await folder.run('plan')).stdout.match(/^.*inbox\/report.*$/gm);
  expect(await planned()).toEqual([{ kind: 'upload', sharing: 'EVERYONE', attachments: ['x.csv'] }]);
  expect(await lines()).toEqual(['upload      inbox/report.txt (sharing EVERYONE, attachment x.csv)']);
  expect((await folder.run('sync')).code).toBe(0);

  await folder.write('inbox/report.txt', 'an edited report');
  expect(await planned()).toEqual([{ kind: 'modify', sharing: null, attachments: null }]);
  await folder.write('inbox/report.txt.meta.json', '{"shareInfo": {"mode": "NONE"}}');
  await folder.write('inbox/report.txt.attachments/y.csv', '2');
  // A narrower mode waits for no content.
  expect(await planned()).toEqual([
    { kind: 'modify', sharing: 'NONE', attachments: null },
    { kind: 'modify', sharing: null, attachments: ['x.csv', 'y.csv'] },
  ]);
  expect(await lines()).toEqual([
    'modify      inbox/report.txt (sharing NONE)',
    'modify      inbox/report.txt (content, attachments x.csv, y.csv)',
  ]);
});
