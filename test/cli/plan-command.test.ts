import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { recordOf } from '../support/fixtures/model-fixtures.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import type { TrialFolder } from '../support/processes/trial-folder.ts';

let folder: TrialFolder;

beforeEach(async () => {
  folder = await trialFolder({
    timing: { settleMs: 0 },
    folders: ['here', 'gone'].map((name) => ({ name, path: `./${name}` })),
  });
  await folder.write('here/report.txt', 'a report');
});

afterEach(() => folder.remove());

it('a folder that was never there is exit code 2', async () => {
  const { code, stdout, stderr } = await folder.run('plan');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`the directory ${folder.path}/gone of the folder "gone" does not exist`);
});

it('a folder that is gone is named in the plan, beside what the others need', async () => {
  const ledger = await folder.openLedger();
  await ledger.commit([{ kind: 'put', ref: { folder: 'gone', path: 'a.pdf' }, record: recordOf() }]);
  await ledger.close();
  const { code, stdout } = await folder.run('plan');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^upload +here\/report\.txt$/m);
  expect(stdout).toContain(`gone is left out: ${folder.path}/gone does not exist\n`);
});
