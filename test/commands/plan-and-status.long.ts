import { mkdir, rename } from 'node:fs/promises';
import { afterEach, expect, it } from '@jest/globals';

import type { PlanReport, Why } from '../../src/model/report/command-reports.ts';
import type { Status } from '../../src/model/report/status.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import type { TrialFolder } from '../support/processes/trial-folder.ts';

let folder: TrialFolder;

afterEach(() => folder.remove());

const quick = { timing: { settleMs: 0, removeGraceMs: 100, stopSeconds: 1 } };

const json = async <T>(...args: string[]): Promise<T> =>
  JSON.parse((await folder.run(...args, '--json')).stdout) as T;
const printed = async (...args: string[]) => (await folder.run(...args)).stdout;

it('a document whose file stands where it is not sent is kept and not held, for status, plan, check and approve', async () => {
  folder = await trialFolder(quick);
  for (let index = 1; index <= 12; index += 1) await folder.write(`inbox/n${index}.txt`, `document ${index}`);
  await folder.write('inbox/table.xlsx', 'a table');
  expect((await folder.run('sync')).code).toBe(0);
  await rename(folder.join('inbox'), folder.join('away'));
  await mkdir(folder.join('inbox/sub'), { recursive: true });
  await rename(folder.join('away/table.xlsx'), folder.join('inbox/sub/table.old.xlsx'));
  expect((await folder.run('sync')).stdout).toContain('deletions held');

  const status = await json<Status>('status');
  expect(status.held).toMatchObject([{ count: 12 }]);
  expect(status.folders).toMatchObject([{ held: 12, kept: 1 }]);
  expect((await json<PlanReport>('plan')).counts).toMatchObject({ held: 12, kept: 1 });
  expect(await printed('check')).toMatch(/^! inbox: 12 deletions held since /m);
  const plan = await printed('plan');
  expect(plan.match(/^held .*$/gm)).toEqual(
    Array.from({ length: 12 }, (_, index) => `held        inbox/n${index + 1}.txt`),
  );
  expect(plan.match(/documents were missing from it/g)).toHaveLength(1);
  expect(plan).toMatch(
    /^12 deletions would be held until you approve with ingestd approve:\n {2}inbox: the folder is not /m,
  );
  expect(status.held[0]?.paths.slice(8)).toEqual(['n9.txt', 'n10.txt', 'n11.txt', 'n12.txt']);
  expect((await folder.run('approve', '--yes')).stdout).toContain('12 deletions released');
}, 120_000);

it('status --check says without a daemon what status says', async () => {
  folder = await trialFolder(quick);
  await folder.write('inbox/a.txt', 'a');
  expect((await folder.run('sync')).code).toBe(0);
  await folder.write('inbox/new.txt', 'new');
  await folder.write('inbox/two.dots.txt', 'refused');
  const [headline] = (await printed('status')).split('\n');
  expect(headline).toBe('ingestd is not running. 1 document delivered, 1 to send. 1 document failed');
  expect(await folder.run('status', '--check')).toMatchObject({ code: 2, stdout: `error: ${headline}\n` });
}, 120_000);

it.each([
  ['retry', false],
  ['hold', true],
] as const)(
  'without a daemon, plan, status and why say what the next start does about a doubt: %s',
  async (inDoubt, holds) => {
    folder = await trialFolder({ ...quick, safety: { inDoubt } });
    await folder.write('inbox/a.txt', 'a');
    await folder.write('inbox/b.txt', 'b');
    const ledger = await folder.openLedger();
    const ref = { folder: 'inbox', path: 'a.txt' };
    const doubt = { id: 'one', ref, count: 1, since: 1_767_225_600_000, message: 'connection lost', holds };
    await ledger.commit([{ kind: 'doubt', doubt }]);
    await ledger.close();

    const plan = await json<PlanReport>('plan');
    const planned = plan.operations.find(({ path }) => path === 'a.txt');
    const words = await printed('plan');
    const status = await printed('status');
    const { next } = await json<Why>('why', 'inbox/a.txt');
    expect((await json<Status>('status')).inDoubt).toMatchObject([{ holds }]);
    if (holds) {
      expect(planned).toMatchObject({ kind: 'failed', inDoubt: false, code: 'in-doubt' });
      expect(plan.counts).toMatchObject({ upload: 1, inDoubt: 0 });
      expect(words).not.toContain('To prevent copies');
      expect(status).toContain('(settle with ingestd resolve PATH: --doc-id ID, --again or --dismiss)');
      expect(next).toMatch(/^nothing until you decide with ingestd resolve/);
    } else {
      expect(planned).toMatchObject({ kind: 'upload', inDoubt: true, code: null });
      expect(plan.counts).toMatchObject({ upload: 2, inDoubt: 1 });
      expect(words).toMatch(
        /^upload +inbox\/a\.txt \(sharing DEFAULT\): an earlier upload of it is in doubt$/m,
      );
      expect(words).toMatch(/^upload +inbox\/b\.txt \(sharing DEFAULT\)$/m);
      expect(words).toContain('1 upload in doubt: the service may have been given the same before.');
      expect(status).toContain('else ingestd sends them again when it runs (safety.inDoubt: retry)');
      expect(next).toBe(
        'it is uploaded again when ingestd runs (safety.inDoubt: retry), and the service may then have it twice',
      );
    }
  },
  120_000,
);

it('the time that a plan takes regards the bandwidth', async () => {
  folder = await trialFolder({ ...quick, service: { mode: 'embedded', maxKilobytesPerSecond: 10 } });
  await folder.write('inbox/a.txt', 'x'.repeat(100_000));
  await folder.write('inbox/a.txt.attachments/b.txt', 'x'.repeat(200_000));
  expect(await json<PlanReport>('plan')).toMatchObject({ requests: 1, bytes: 300_000, seconds: 30 });
  expect(await printed('plan')).toContain('1 upload: 1 request, about 30 seconds.');
}, 120_000);
