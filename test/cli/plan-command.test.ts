import { mkdir, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { systemClock } from '../../src/daemon/system-clock.ts';
import { recordOf } from '../support/fixtures/model-fixtures.ts';
import { ingestd } from '../support/processes/ingestd.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await temporaryFolder();
  await mkdir(`${folder.path}/here`);
  await writeFile(`${folder.path}/here/report.txt`, 'a report');
  await writeFile(
    `${folder.path}/ingestd.yaml`,
    [
      'service: { mode: embedded }',
      'state: { dir: ./state }',
      'timing: { settleMs: 0 }',
      'folders:',
      '  - { name: here, path: ./here }',
      '  - { name: gone, path: ./gone }',
    ].join('\n'),
  );
});

afterEach(() => folder.remove());

it('a folder that was never there is exit code 2', async () => {
  const { code, stdout, stderr } = await ingestd(['plan'], { cwd: folder.path });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`the directory ${folder.path}/gone of the folder "gone" does not exist`);
});

it('a folder that is gone is named in the plan, beside what the others need', async () => {
  const ledger = await openLedger({ dir: folder.join('state'), clock: systemClock, log: recordedLog() });
  await ledger.commit([{ kind: 'put', ref: { folder: 'gone', path: 'a.pdf' }, record: recordOf() }]);
  await ledger.close();
  const { code, stdout } = await ingestd(['plan'], { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^upload +here\/report\.txt$/m);
  expect(stdout).toContain(
    `gone cannot be read, so the plan leaves it out: ${folder.path}/gone does not exist\n`,
  );
});
