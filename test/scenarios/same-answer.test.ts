import { appendFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { PlanReport } from '../../src/model/report/command-reports.ts';
import { ingestd, type Ran } from '../support/ingestd.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await temporaryFolder();
  await folder.write(
    'ingestd.yaml',
    [
      'service: { mode: embedded }',
      'state: { dir: ./state }',
      'http: { port: false }',
      'timing: { settleMs: 200, removeGraceMs: 300, stopSeconds: 1 }',
      'folders: [{ name: inbox, path: ./inbox }]',
    ].join('\n'),
  );
});

afterEach(() => folder.remove());

const run = (...args: string[]): Promise<Ran> => ingestd(args, { cwd: folder.path });

it('a document whose attachment is missing fails in plan, check and sync alike', async () => {
  await folder.write('inbox/a.txt', 'a');
  await folder.write('inbox/a.txt.meta.json', '{"attachments": ["gone.txt"]}');
  const plan = JSON.parse((await run('plan', '--json')).stdout) as PlanReport;
  expect(plan.counts).toMatchObject({ failed: 1, upload: 0 });
  expect(await run('check')).toMatchObject({ code: 4 });
  const { code, stdout, stderr } = await run('sync');
  expect(code).toBe(4);
  expect(stdout).toContain('1 document failed:');
  expect(stdout).toContain('gone.txt');
  expect(stderr).toContain('gone.txt');
});

it('a file that never stops changing ends sync with exit code 4, and is named', async () => {
  await folder.write('inbox/a.txt', 'a');
  await folder.write('inbox/log.txt', 'x');
  const writer = setInterval(() => void appendFile(folder.join('inbox/log.txt'), 'x'), 50);
  try {
    const { code, stdout } = await run('sync');
    expect(code).toBe(4);
    expect(stdout).toContain('1 upload');
    expect(stdout).toContain('1 document not ready:\n  inbox/log.txt: ');
  } finally {
    clearInterval(writer);
  }
});

it('what is skipped is counted', async () => {
  await folder.write('inbox/a.exe', 'a');
  expect(await run('sync')).toMatchObject({
    code: 0,
    stdout: 'Nothing to send.\n1 file skipped: ingestd check says why.\n',
  });
  expect((await run('plan')).stdout).toContain('1 file skipped');
});
