import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';

import type { PlanReport } from '../../src/commands/make-plan.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const place = ofEachTest(() => installationWithService());

beforeEach(async () => {
  await mkdir(join(place.inbox, 'old', 'deep'), { recursive: true });
  for (const name of ['a.txt', 'old/b.txt', 'old/deep/c.txt']) await writeFile(join(place.inbox, name), name);
});

it('I11: documents below a directory that is ignored by now are counted as kept, over a restart too', async () => {
  const rules = join(place.inbox, '.ingestignore');
  const first = await place.start();
  await first.idle(({ totals }) => totals.uploaded === 3);
  const sent = place.service.requests.length;

  await writeFile(rules, 'old/\n');
  await first.idle(({ folders }) => folders[0]?.kept === 2 && folders[0].synced === 1);
  const plan = JSON.parse((await place.run('plan', '--json')).out) as PlanReport;
  expect(plan.counts).toMatchObject({ kept: 2, unchanged: 1, delete: 0 });
  expect((await first.end('SIGTERM')).code).toBe(0);

  const second = await place.start();
  await second.idle(({ folders }) => folders[0]?.kept === 2 && folders[0].synced === 1);
  expect(place.service.requests.length).toBe(sent);

  await rm(rules);
  await second.idle(({ folders }) => folders[0]?.kept === 0 && folders[0].synced === 3);
  expect(place.service.requests.length).toBe(sent);
});
