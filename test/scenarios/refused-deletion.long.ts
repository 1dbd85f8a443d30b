import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

import type { SyncReport } from '../../src/daemon/run-sync.ts';
import type { PlanReport } from '../../src/commands/make-plan.ts';
import type { Status } from '../../src/model/report/status.ts';
import { eventually } from '../support/eventually.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import { steps } from '../support/services/scripted-service.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const place = ofEachTest(() => installationWithService());

const json = async <T>(...words: string[]) => JSON.parse((await place.run(...words, '--json')).out) as T;
const deletions = () => place.service.requests.filter(({ method }) => method === 'DELETE').length;

it('a deletion that the service refuses is failed, over restarts too, until a person retries it', async () => {
  await writeFile(join(place.inbox, 'a.txt'), 'one');
  expect(await json<SyncReport>('sync')).toMatchObject({ uploaded: 1 });
  place.service.always(steps.refuse('no', 422));
  await rm(join(place.inbox, 'a.txt'));
  expect((await place.run('status')).out).toContain('ingestd is not running. 1 to delete');
  const first = await place.run('sync');
  expect([first.code, first.out]).toEqual([4, expect.stringMatching(/1 document failed:\n.*a\.txt/)]);
  expect(first.out).not.toContain('held');
  expect(deletions()).toBe(1);

  expect(await json<Status>('status')).toMatchObject({ failuresTotal: 1, failures: [{ path: 'a.txt' }] });
  expect((await json<PlanReport>('plan')).operations).toMatchObject([{ kind: 'failed', path: 'a.txt' }]);
  expect((await place.run('check')).code).toBe(4);
  expect(await json<SyncReport>('sync')).toMatchObject({ exitCode: 4, failed: 1, held: 0, deleted: 0 });
  expect(deletions()).toBe(1);
  // There is no file, whoever counts.
  const counts = [{ onDisk: 0, failed: 0, held: 1 }];
  expect((await json<Status>('status')).folders).toMatchObject(counts);
  const daemon = await place.start();
  await daemon.settled(({ folders }) => expect(folders).toMatchObject(counts));
  await daemon.end('SIGTERM');

  const status = await place.run('status');
  expect(status.out).toContain('1 deletion refused');
  expect(status.out).not.toContain('held');
  expect((await place.run('why', 'inbox/a.txt')).out).toMatch(
    /^Not deleted: the service answered 422.*\. Delivered [^]*next .*ingestd retry inbox\/a\.txt, or ingestd keep inbox\/a\.txt/m,
  );
  // All that is named is looked at before anything is done.
  expect(await place.run('retry', 'inbox/a.txt', 'inbox/nope')).toMatchObject({ code: 2, out: '' });
  expect(await json<SyncReport>('sync')).toMatchObject({ exitCode: 4, failed: 1 });

  place.service.always(steps.answer(503, ''));
  expect((await place.run('retry', 'inbox/a.txt')).out).toContain('1 document');
  const second = await place.start();
  await eventually(async () => (await second.status()).queue.deletionsToRetry === 1);
  place.service.always(steps.accept('gone'));
  await second.idle(({ totals }) => totals.deleted === 1);
  await second.end('SIGTERM');
  expect(await json<Status>('status')).toMatchObject({ failuresTotal: 0 });
});
