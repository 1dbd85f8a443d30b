import { expect, it } from '@jest/globals';

import { makePlan } from '../../src/commands/make-plan.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { systemClock } from '../../src/lib/time/clock.ts';
import { silentLog } from '../../src/model/ports/log-port.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';

const folder = ofEachTest(() => trialFolder());

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
