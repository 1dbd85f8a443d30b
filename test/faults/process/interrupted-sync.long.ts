import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';

import type { SyncReport } from '../../../src/daemon/run-sync.ts';
import { eventually } from '../../support/eventually.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';
import { steps } from '../../support/services/scripted-service.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const place = ofEachTest(() =>
  installationWithService({
    more: { timing: { settleMs: 150, removeGraceMs: 400, stopSeconds: 1 } },
  }),
);

beforeEach(async () => {
  await writeFile(join(place.inbox, 'a.txt'), 'one');
});

const arrived = () => eventually(() => place.service.requests[0]?.complete() === true);

it('P2: an interrupted sync tells of what the service still accepted', async () => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => (answer = resolve));
  place.service.script(async (request) => {
    await request.body();
    await asked;
    await steps.accept('late')(request);
  });
  // The answer comes before it gives up.
  await place.configure({ timing: { settleMs: 150, removeGraceMs: 400, stopSeconds: 20 } });
  const sync = place.begin('sync', '--json');
  await arrived();
  sync.signal('SIGTERM');
  // Which of the two comes first is the same to it.
  answer();
  const { code, out } = await sync.finished;
  expect(JSON.parse(out) as SyncReport).toMatchObject({ exitCode: code, uploaded: 1, unsent: 0, inDoubt: 0 });
  expect((await place.run('ledger', 'export')).out).toContain('"late"');
});

it('an interrupted sync does not deny an upload that was sent and never answered', async () => {
  place.service.script(steps.silence());
  const sync = place.begin('sync');
  await arrived();
  sync.signal('SIGINT');
  const { code, out } = await sync.finished;
  expect(code).toBe(4);
  expect(out).not.toContain('Nothing was sent');
  expect(out).toContain('1 upload in doubt: list with ingestd status');
  expect((await place.run('status')).out).toContain('a.txt');
});
