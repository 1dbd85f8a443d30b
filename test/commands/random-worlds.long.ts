import { rename, rm } from 'node:fs/promises';
import { afterEach, expect, it } from '@jest/globals';

import type { SyncReport } from '../../src/daemon/run-sync.ts';
import type { PlanReport } from '../../src/commands/make-plan.ts';
import type { CheckFinding } from '../../src/model/report/command-reports.ts';
import { health } from '../../src/model/report/health.ts';
import type { FolderStatus, Status } from '../../src/model/report/status.ts';
import { seededRandom } from '../soak/seeded-random.ts';
import type { SeededRandom } from '../soak/seeded-random.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import type { TrialFolder } from '../support/processes/trial-folder.ts';

let folder: TrialFolder;

afterEach(() => folder.remove());

it.each([1, 2, 3, 4, 5, 6])(
  'a random world (seed %d): status, plan and check say what sync then does',
  async (seed) => {
    const random = seededRandom(seed);
    folder = await trialFolder({ timing: { settleMs: 50, removeGraceMs: 50, stopSeconds: 1 } });
    const paths = await deliver(random);
    for (const path of paths) await change(random, path);

    const status = await json<Status>('status');
    const { counts, unreadable, unavailable } = await json<PlanReport>('plan');
    const check = await folder.run('check', '--json');
    const [inbox] = status.folders as [FolderStatus];
    const { pending, waiting, failed, skipped } = inbox;
    expect(inbox.onDisk).toBe(inbox.synced + pending + waiting + failed + skipped);
    expect([unreadable, unavailable]).toEqual([[], []]);
    const { held, kept } = inbox;
    expect(counts).toMatchObject({ waiting, failed, skipped, held, kept });
    const reported = status.reasons.filter(({ code }) => code !== 'not-running');
    const isWell = health({ ...status, state: 'idle', reasons: reported }) === 'ok';
    expect(check.code).toBe(isWell ? 0 : 4);
    const { findings } = JSON.parse(check.stdout) as { readonly findings: readonly CheckFinding[] };
    const told = new Map(findings.map(({ subject, code }) => [subject, code]));
    for (const { path, code } of status.failures) expect(told.get(`inbox/${path}`)).toBe(code);

    const report = JSON.parse((await folder.run('sync', '--json')).stdout) as SyncReport;
    expect(report).toMatchObject({
      uploaded: counts.upload,
      deleted: counts.delete,
      moved: counts.move,
      failed: counts.failed,
      held: counts.held,
      waitingTotal: counts.waiting,
      skipped: counts.skipped,
    });
    const { counts: after } = await json<PlanReport>('plan');
    expect(after).toMatchObject({ upload: 0, modify: 0, move: 0, delete: 0, failed: counts.failed });
  },
  120_000,
);

/** Up to so many documents, so that a minute's permits are enough. */
const documents = 8;

async function deliver(random: SeededRandom): Promise<readonly string[]> {
  const paths = Array.from(
    { length: documents },
    (_, index) => `${random.pick(['', 'a/', 'a/b/'])}${index}.txt`,
  );
  for (const path of paths) {
    await folder.write(`inbox/${path}`, `document ${path}`);
    if (random.chance(0.3)) await folder.write(`inbox/${path}.meta.json`, '{"title": "T"}');
  }
  expect(await folder.run('sync')).toMatchObject({ code: 0 });
  return paths;
}

async function change(random: SeededRandom, path: string): Promise<void> {
  const file = folder.join(`inbox/${path}`);
  switch (
    random.pick(['stays', 'edited', 'moved', 'removed', 'broken', 'renamed', 'new', 'ignored'] as const)
  ) {
    case 'stays':
      return;
    case 'edited':
      return void (await folder.write(`inbox/${path}`, 'edited'));
    case 'moved':
      return rename(file, folder.join(`inbox/moved-${path.replaceAll('/', '-')}`));
    case 'removed':
      return rm(file);
    case 'broken':
      return void (await folder.write(`inbox/${path}.meta.json`, '{"titel": "T"}'));
    case 'renamed':
      return rename(file, file.replace('.txt', '.two.txt'));
    case 'new':
      return void (await folder.write(`inbox/${path.replace('.txt', '.pdf')}`, 'another'));
    case 'ignored':
      return void (await folder.write('inbox/.ingestignore', `${path}\n`));
  }
}

async function json<T>(command: string): Promise<T> {
  return JSON.parse((await folder.run(command, '--json')).stdout) as T;
}
