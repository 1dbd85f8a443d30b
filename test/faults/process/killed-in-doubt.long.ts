import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';

import type { PlanReport } from '../../../src/commands/make-plan.ts';
import type { Why } from '../../../src/model/report/command-reports.ts';
import type { Status } from '../../../src/model/report/status.ts';
import { eventually } from '../../support/eventually.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../../support/processes/installation-with-service.ts';
import { steps } from '../../support/services/scripted-service.ts';

let place: InstallationWithService;

afterEach(() => place.remove());

/** A daemon is killed after it has sent a document, before the service says a word. */
async function killUnderWay(inDoubt: 'hold' | 'retry'): Promise<void> {
  place = await installationWithService({ more: { safety: { inDoubt } } });
  place.service.script(steps.silence());
  await writeFile(join(place.inbox, 'a.txt'), 'one');
  const daemon = await place.start();
  await eventually(() => place.service.requests[0]?.complete() === true);
  await daemon.end('SIGKILL');
}

const json = async <T>(...words: string[]) => JSON.parse((await place.run(...words, '--json')).out) as T;
const planned = async () =>
  (await json<PlanReport>('plan')).operations.map(({ kind, path, code }) => [kind, path, code]);

it('P1: what was under way at a kill is in doubt for the commands, too, before the next start', async () => {
  await killUnderWay('hold');
  expect(await json<Status>('status')).toMatchObject({ inDoubt: [{ path: 'a.txt' }], possibleDuplicates: 1 });
  expect(await planned()).toEqual([['failed', 'a.txt', 'in-doubt']]);
  expect((await json<Why>('why', join(place.inbox, 'a.txt'))).fix).toMatch(/ingestd resolve .*--again/);
  await rename(join(place.inbox, 'a.txt'), join(place.inbox, 'b.txt'));
  expect(await planned()).toEqual([['failed', 'b.txt', 'in-doubt']]);
  await rename(join(place.inbox, 'b.txt'), join(place.inbox, 'a.txt'));

  expect(await place.run('resolve', 'inbox/a.txt', '--doc-id', 'found-there', '--yes')).toMatchObject({
    code: 0,
  });
  const second = await place.start();
  // It was decided, from the first moment on.
  expect(await second.status()).toMatchObject({ inDoubt: [] });
  await second.settled((after) =>
    expect(after).toMatchObject({ inDoubt: [], folders: [{ synced: 1 }], totals: { uploaded: 0 } }),
  );
});

it('beside the process that sends it, it is in nobody’s doubt', async () => {
  place = await installationWithService();
  place.service.script(steps.silence());
  await writeFile(join(place.inbox, 'a.txt'), 'one');
  await place.start();
  await eventually(() => place.service.requests[0]?.complete() === true);
  expect(await planned()).toEqual([['upload', 'a.txt', null]]);
  expect(await json<Status>('status')).toMatchObject({ inDoubt: [] });
});
