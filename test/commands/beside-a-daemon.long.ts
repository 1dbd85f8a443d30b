import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

import type { PlanReport } from '../../src/commands/make-plan.ts';
import type { CheckFinding } from '../../src/model/report/command-reports.ts';
import type { Status } from '../../src/model/report/status.ts';
import { eventually } from '../support/eventually.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import { steps } from '../support/services/scripted-service.ts';

const place = ofEachTest(() => installationWithService());

async function json<T>(...words: string[]): Promise<T> {
  return JSON.parse((await place.run(...words, '--json')).out) as T;
}

it('a document that waits for its next attempt is said to wait by status, check and plan alike', async () => {
  place.service.always(steps.html(404));
  await writeFile(join(place.inbox, 'a.txt'), 'a');
  await place.start();
  const words = /^something else than the service answers at service\.ingestUrl, http.* \(404/;
  await eventually(async () => {
    const { reasons, folders, failures } = await json<Status>('status');
    expect(folders).toMatchObject([{ pending: 0, waiting: 1, failed: 0 }]);
    expect(failures).toMatchObject([{ path: 'a.txt', code: 'not-the-service' }]);
    expect(reasons).toMatchObject([{ code: 'not-the-service', message: expect.stringMatching(words) }]);
    return true;
  });
  const { findings } = await json<{ findings: readonly CheckFinding[] }>('check');
  expect(findings.map(({ level, subject, code }) => [level, subject, code])).toEqual([
    ['info', 'inbox', 'documents'],
    ['error', 'daemon', 'not-the-service'],
  ]);
  expect(findings[0]?.message).toMatch(/: 1 waiting$/);
  const { operations } = await json<PlanReport>('plan');
  expect(operations).toMatchObject([{ kind: 'upload', path: 'a.txt', code: 'not-the-service' }]);
  const { out } = await place.run('plan');
  expect(out).toMatch(/^upload +inbox\/a\.txt .*, retrying$/m);
  expect(out).toMatch(/^1 document retrying: /m);
});

it('a configuration that the daemon refused is one problem, with what to do', async () => {
  const { pid } = await place.start();
  const folders = [
    { name: 'inbox', path: './inbox' },
    { name: 'two', path: './nowhere' },
  ];
  await place.configure({ folders });
  process.kill(pid, 'SIGHUP');
  await eventually(async () => {
    const { reasons } = await json<Status>('status');
    expect(reasons).toMatchObject([{ code: 'configuration-refused' }]);
    return true;
  });
  const { findings } = await json<{ findings: readonly CheckFinding[] }>('check');
  const message = expect.stringMatching(
    new RegExp(`^the folder "two": .*nowhere does not exist; .* run kill -HUP ${pid}$`),
  );
  expect(findings.filter(({ level }) => level !== 'info')).toMatchObject([
    { level: 'error', subject: 'daemon', code: 'configuration-refused', message },
  ]);
});
