import { chmod, chown, readdir, rm } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { PlanReport } from '../../src/commands/make-plan.ts';
import { nobody } from '../support/processes/as-user.ts';
import { ingestd } from '../support/processes/ingestd.ts';
import { copyProgram } from '../support/processes/program.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const folder = ofEachTest(() =>
  trialFolder({ timing: { settleMs: 200, removeGraceMs: 300, stopSeconds: 1 } }),
);

const run = (...args: string[]) => folder.run(...args);

/** Root reads everything. */
async function asAnotherUser(): Promise<typeof run> {
  const uid = process.getuid?.() === 0 ? nobody : null;
  if (uid !== null)
    for (const path of ['', 'inbox', 'ingestd.yaml']) await chown(folder.join(path), uid, uid);
  const program = await copyProgram(folder.join('program'));
  return (...args) => ingestd(args, { cwd: folder.path, program, ...(uid !== null && { uid }) });
}

it('what is skipped is counted', async () => {
  await folder.write('inbox/a.exe', 'a');
  expect(await run('sync')).toMatchObject({
    code: 0,
    stdout: 'Nothing to send.\n1 file skipped: ingestd check says why.\n',
  });
  expect((await run('plan')).stdout).toContain('1 file skipped');
});

it('a directory or a folder that cannot be read is no reason to say that all is done', async () => {
  await folder.write('inbox/a.txt', 'a');
  await folder.write('inbox/closed/b.txt', 'b');
  await chmod(folder.join('inbox/closed'), 0o000);
  const as = await asAnotherUser();
  try {
    const plan = await as('plan', '--json');
    expect(plan.code).toBe(0);
    expect((JSON.parse(plan.stdout) as PlanReport).unreadable).toEqual([
      {
        folder: 'inbox',
        message: expect.stringContaining('closed: it cannot be read (permission denied, EACCES)'),
      },
    ]);
    expect((await as('plan')).stdout).toContain(
      'inbox/closed: it cannot be read (permission denied, EACCES)',
    );
    expect(await as('check')).toMatchObject({ code: 4 });
    expect(await as('sync')).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('inbox/closed: it cannot be read (permission denied, EACCES)'),
    });
    const why = await as('why', 'inbox/closed/b.txt', '--json');
    expect(JSON.parse(why.stdout)).toMatchObject({
      verdict: { kind: 'unknown', code: 'unreadable' },
      next: 'nothing until that changes',
    });
    await chmod(folder.join('inbox'), 0o000);
    for (const [command, code] of [
      ['plan', 0],
      ['sync', 4],
    ] as const)
      expect(await as(command)).toMatchObject({
        code,
        stdout: expect.stringMatching(/inbox .*cannot be read \(permission denied, EACCES\)/),
      });
  } finally {
    await chmod(folder.join('inbox'), 0o700);
    await chmod(folder.join('inbox/closed'), 0o700);
  }
});

it('a folder that was never there is exit code 2 for plan, sync and run, with the embedded service too', async () => {
  for (const command of ['plan', 'sync', 'run']) {
    const { code, stderr } = await run(command);
    expect({ command, code, stderr }).toEqual({
      command,
      code: 2,
      stderr: expect.stringContaining('the folder "inbox": '),
    });
  }
});

it('only the trial without a configuration makes its folder', async () => {
  await rm(folder.join('ingestd.yaml'));
  expect(await run('sync', '-q')).toMatchObject({ code: 0, stdout: '' });
  expect(await readdir(folder.path)).toContain('inbox');
});
