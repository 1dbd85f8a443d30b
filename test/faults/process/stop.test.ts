import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

import type { Status } from '../../../src/model/report/status.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';
import { eventually } from '../../support/eventually.ts';
import { steps } from '../../support/services/scripted-service.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const place = ofEachTest(() =>
  installationWithService({
    more: { timing: { settleMs: 100, removeGraceMs: 300, stopSeconds: 1 }, safety: { inDoubt: 'hold' } },
  }),
);

it('P2: an upload that a stop cuts off before its last byte is in nobody’s doubt, and goes out with the next start', async () => {
  place.service.script(steps.stopReading());
  await writeFile(join(place.inbox, 'large.txt'), Buffer.alloc(30_000_000, 'x'));
  const first = await place.start();
  await eventually(() => Promise.resolve(place.service.requests.length === 1 || null));
  expect((await first.end('SIGTERM')).code).toBe(0);
  const offline = JSON.parse((await place.run('status', '--json')).out) as Status;
  expect([offline.inDoubtTotal, offline.possibleDuplicates]).toEqual([0, 0]);
  const second = await place.start();
  await second.idle(({ totals }) => totals.uploaded === 1);
});

it.each(['SIGTERM', 'SIGQUIT'] as const)(
  'P2: one of which everything went out is in doubt when %s did not wait for its answer',
  async (signal) => {
    place.service.script(steps.silence());
    await writeFile(join(place.inbox, 'small.txt'), 'small');
    const first = await place.start();
    await eventually(() => Promise.resolve(place.service.requests[0]?.complete() === true || null));
    expect((await first.end(signal)).code).toBe(0);
    const offline = JSON.parse((await place.run('status', '--json')).out) as Status;
    expect(offline.inDoubt).toMatchObject([{ path: 'small.txt', count: 1 }]);
  },
);
