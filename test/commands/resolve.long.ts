import { readFile } from 'node:fs/promises';
import { beforeEach, expect, it } from '@jest/globals';
import type { PlanReport } from '../../src/commands/make-plan.ts';
import { recordOf } from '../support/fixtures/model-fixtures.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const folder = ofEachTest(() => trialFolder({ safety: { inDoubt: 'hold' }, timing: { settleMs: 0 } }));

/** As a crash leaves it: one upload in doubt that is held, and one document delivered. */
beforeEach(async () => {
  await folder.write('inbox/a.pdf', 'x');
  const ledger = await folder.openLedger();
  const doubt = (path: string) => ({
    kind: 'doubt' as const,
    doubt: { id: path, ref: { folder: 'inbox', path }, count: 1, since: 1, message: 'lost', holds: true },
  });
  await ledger.commit([
    { kind: 'put', ref: { folder: 'inbox', path: 'b.pdf' }, record: recordOf({ docId: 'doc-b' }) },
    doubt('a.pdf'),
    doubt('gone.pdf'),
  ]);
  await ledger.close();
});

const run = (...args: string[]) => folder.run(...args);

async function planned(): Promise<readonly string[]> {
  const { operations } = JSON.parse((await run('plan', '--json')).stdout) as PlanReport;
  return operations.filter(({ path }) => path === 'a.pdf').map(({ kind }) => kind);
}

it('without a daemon, resolve --again sends the document at the next start', async () => {
  expect(await planned()).toEqual(['failed']);
  expect(await run('resolve', 'inbox/a.pdf', '--again')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('inbox/a.pdf is sent again when ingestd runs: '),
  });
  expect(await planned()).toEqual(['upload']);
});

it('resolve --again is refused for a file that is ignored', async () => {
  await folder.write('inbox/.ingestignore', 'a.pdf\n');
  const { code, stderr } = await run('resolve', 'inbox/a.pdf', '--again');
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/is not sent, as the pattern "a\.pdf" .* ignores it; adopt/),
  ]);
});

it('resolve --dismiss sends nothing, and says what would', async () => {
  const { stdout: told } = await run('resolve', 'inbox', '--dismiss');
  expect(told).toContain('The doubt about inbox (2 documents) is cleared');
  // A person has decided: that is no problem, anywhere.
  expect(await planned()).toEqual([]);
  expect(await run('resolve', 'inbox/a.pdf', '--dismiss')).toMatchObject({ code: 2 });
  const { stdout } = await run('status');
  expect(stdout).toMatch(
    /Skipped \(1\)\n {2}Doubt dismissed, not sent \(1\): To send it all the same, run ingestd retry PATH\.\n {4}inbox\/a\.pdf: the doubt about its upload was dismissed\n/,
  );
  expect(stdout).not.toContain('failed');
  expect((await run('retry')).code).toBe(0);
  expect(await planned()).toEqual([]);
  expect((await run('retry', 'inbox/a.pdf')).code).toBe(0);
  expect(await planned()).toEqual(['upload']);
});

it('resolve --doc-id adopts the document, which is changed and not uploaded, of a file that came a moment ago, too', async () => {
  const text = await readFile(folder.join('ingestd.yaml'), 'utf8');
  await folder.write('ingestd.yaml', text.replace('settleMs: 0', 'settleMs: 10000'));
  await folder.write('inbox/a.pdf', 'xy');
  const began = performance.now();
  expect(await run('resolve', 'inbox/a.pdf', '--doc-id', 'doc-a', '--yes')).toMatchObject({ code: 0 });
  expect(performance.now() - began).toBeLessThan(8_000);
  expect(await planned()).toEqual(['modify']);
});

it.each([
  [['inbox/none.pdf', '--dismiss'], 'is not in doubt'],
  [['inbox/none.pdf', '--doc-id', 'x'], 'is not in doubt'],
  [['inbox/a.pdf', '--doc-id', 'x'], 'would be the document x from now on; add --yes'],
  [['/elsewhere/a.pdf', '--dismiss'], 'is not in any of the folders'],
  [['inbox/a.pdf', '--doc-id', '--yes'], 'name the docId after it; --yes is none'],
  [['inbox/a.pdf'], 'choose one of'],
  [['inbox/a.pdf', '--again', '--dismiss'], 'choose one of'],
])('resolve %j is refused: %s', async (args, words) => {
  const { code, stdout, stderr } = await run('resolve', ...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(words);
});

it('retry of what is in doubt and has no file is refused as resolve --again is', async () => {
  const refused = {
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('inbox/gone.pdf is gone from the folder'),
  };
  expect(await run('resolve', 'inbox/gone.pdf', '--again')).toEqual(refused);
  expect(await run('retry', 'inbox/gone.pdf')).toEqual(refused);
  expect((await run('retry', 'inbox/a.pdf')).stdout).toBe(
    'Retrying 1 document when ingestd runs. The service may have it already: then it is there twice.\n',
  );
});

it('a doubt in a folder that was taken out of the configuration can be dismissed, and nothing else', async () => {
  const ledger = await folder.openLedger();
  const ref = { folder: 'old (outside)', path: 'a.pdf' };
  await ledger.commit([
    { kind: 'doubt', doubt: { id: 'd', ref, count: 1, since: 1, message: 'lost', holds: true } },
  ]);
  await ledger.close();
  for (const way of [['--again'], ['--doc-id', 'x', '--yes']]) {
    expect(await run('resolve', 'old (outside)/a.pdf', ...way)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the folder "old (outside)" is not configured'),
    });
  }
  expect(await run('resolve', 'old (outside)/a.pdf', '--dismiss')).toMatchObject({ code: 0 });
  expect((await run('status')).stdout).not.toContain('old (outside)');
  expect((await run('resolve', 'old (outside)/a.pdf', '--dismiss')).stderr).toContain('is not in doubt');
});

it('who finds the state directory taken is not told to use another one, which would upload everything twice', async () => {
  const ledger = await folder.openLedger();
  try {
    const { code, stderr } = await run('sync');
    expect(code).toBe(5);
    expect(stderr).toContain('every document would be uploaded a second time');
    expect(stderr).toContain('If it is ingestd run, it delivers by itself: ingestd rescan');
    expect(stderr).not.toContain('state.dir of its own');
  } finally {
    await ledger.close();
  }
});
