import { mkdir, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ingestd } from '../support/ingestd.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await temporaryFolder();
});

afterAll(() => folder.remove());

it('a folder that is not there is named in the plan, beside what the others need', async () => {
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
  const { code, stdout } = await ingestd(['plan'], { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^upload +here\/report\.txt$/m);
  expect(stdout).toContain(
    `gone is not available, nothing of it is planned: ${folder.path}/gone does not exist\n`,
  );
});
