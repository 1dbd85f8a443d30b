import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { beforeEach, expect, it } from '@jest/globals';
import type { FoundDocument } from '../../src/model/document.ts';
import type { Status } from '../../src/model/report/status.ts';
import { asItStands, withRestingEngine } from '../../src/commands/offline/resting-engine.ts';
import { emptyLedger } from '../../src/ledger/read-ledger.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { recordOf } from '../support/fixtures/model-fixtures.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const folder = ofEachTest(() => trialFolder());

/** As `sync` leaves it: twelve documents in the service, eleven of whose files are gone, and the deletion held. */
beforeEach(async () => {
  await folder.write('inbox/0.pdf', 'x');
  const seen = await seenAt('0.pdf');
  const ledger = await folder.openLedger();
  for (let index = 0; index < 12; index += 1) {
    const ref = { folder: 'inbox', path: `${index}.pdf` };
    await ledger.commit([{ kind: 'put', ref, record: recordOf({ docId: `doc-${index}` }) }]);
  }
  const hold = { since: 1_767_225_600_000, reason: '11 of 12 documents are gone' };
  await ledger.commit([{ kind: 'hold', folder: 'inbox', hold }]);
  await ledger.commit([
    {
      kind: 'fail',
      ref: { folder: 'inbox', path: '0.pdf' },
      failure: {
        code: 'http-403',
        message: 'no',
        attempts: 1,
        ...seen,
        history: [],
      },
    },
  ]);
  await ledger.close();
});

/** What a run remembers of a file that the service refused. */
async function seenAt(path: string): Promise<Pick<FoundDocument, 'stat' | 'fingerprint'>> {
  const { settings } = await loadConfiguration({ env: {}, cwd: folder.path });
  const surroundings = { settings: asItStands(settings), ledger: emptyLedger(), owners: null };
  const found = await withRestingEngine(surroundings, async ({ folders }) => folders[0]?.inspect(path));
  if (found?.kind !== 'document') throw new Error(found?.kind);
  return { stat: found.document.stat, fingerprint: found.document.fingerprint };
}

async function status(...args: string[]): Promise<string> {
  const { code, stdout } = await folder.run('status', ...args);
  expect(code).toBe(0);
  return stdout;
}

it('what came back is not held any more, and of a folder that is away nothing is claimed', async () => {
  for (let index = 1; index < 11; index += 1) await folder.write(`inbox/${index}.pdf`, 'x');
  expect(JSON.parse(await status('--json'))).toMatchObject({ held: [{ count: 1, paths: ['11.pdf'] }] });
  await rename(folder.join('inbox'), folder.join('elsewhere'));
  const away = JSON.parse(await status('--json')) as Status;
  expect(away.held).toEqual([]);
  expect(away.folders).toMatchObject([{ state: 'unavailable' }]);
  expect(await folder.run('approve', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/the folder "inbox" .* is unavailable .*run ingestd approve inbox/),
  });
  await rm(folder.join('elsewhere'), { recursive: true });
  await mkdir(folder.join('inbox'));
});

it('a file whose name, or whose directory, is written with combining accents on disk is not missing', async () => {
  const [file, directory] = ['\u00e9.pdf', '\u00fc'];
  const ledger = await folder.openLedger();
  const paths = [file, `${directory}/a.pdf`, `${directory}/${file}`];
  for (const path of paths) {
    await ledger.commit([
      { kind: 'put', ref: { folder: 'inbox', path }, record: recordOf({ docId: `doc-${path}` }) },
    ]);
    await folder.write(`inbox/${path.normalize('NFD')}`, 'x');
  }
  await ledger.close();
  expect(JSON.parse(await status('--json'))).toMatchObject({ held: [{ count: 11 }] });
  expect((await folder.run('approve', '--yes')).stdout).toContain('11 deletions released');
});

it('without a daemon, approve accepts the root as one more that has changed, and the mounts as they are', async () => {
  const open = () => folder.openLedger();
  const before = await open();
  const identity = { path: folder.join('inbox'), dev: 1, ino: 1, seenAt: 5, changes: 1 };
  await before.commit([
    { kind: 'root', folder: 'inbox', identity },
    { kind: 'mounts', folder: 'inbox', mounts: ['drive'] },
  ]);
  await before.close();
  expect(await folder.run('approve', '--yes')).toMatchObject({
    code: 0,
    stdout: '11 deletions released, to be sent when ingestd runs.\n',
  });
  const after = await open();
  expect(after.root('inbox')).toMatchObject({ changes: 2 });
  expect([after.root('inbox')?.ino === 1, after.mounts('inbox'), after.hold('inbox')]).toEqual([
    false,
    [],
    undefined,
  ]);
  await after.close();
});

it('without a daemon, totals are those of the history', async () => {
  await folder.write(
    'state/history/2026-01-01.0.jsonl',
    `${JSON.stringify({
      totals: { uploaded: 7, modified: 1, deleted: 0, moved: 0, requests: 8, bytesSent: 99 },
    })}\n`,
  );
  expect(JSON.parse(await status('--json'))).toMatchObject({ totals: { uploaded: 7, requests: 8 } });
});

it('a folder that got another name since is known by it, before the next start too', async () => {
  const { dev, ino } = await stat(folder.join('inbox'));
  const ledger = await folder.openLedger();
  const identity = { path: folder.join('inbox'), dev, ino };
  await ledger.commit([{ kind: 'root', folder: 'inbox', identity }]);
  await ledger.close();
  const configuration = {
    service: { mode: 'embedded' },
    folders: [{ name: 'renamed', path: './inbox' }],
    state: { dir: './state' },
    http: { port: false },
  };
  await folder.write('ingestd.yaml', JSON.stringify(configuration));
  const { folders, held } = JSON.parse(await status('--json')) as Status;
  expect(folders).toMatchObject([{ name: 'renamed', held: 11 }]);
  expect(held).toMatchObject([{ folder: 'renamed', count: 11 }]);
  const why = JSON.parse((await folder.run('why', 'inbox/3.pdf', '--json')).stdout) as { docId: string };
  expect(why).toMatchObject({ docId: 'doc-3', folder: 'renamed' });
  expect((await folder.run('approve', 'renamed', '--yes')).stdout).toContain('11 deletions released');
});

it('the time that a plan takes regards the bandwidth', async () => {
  const configured = await readFile(folder.join('ingestd.yaml'), 'utf8');
  const slow = configured.replace('mode: embedded', 'mode: embedded\n  maxKilobytesPerSecond: 10');
  await folder.write('ingestd.yaml', slow.replace('./state', './fresh'));
  await folder.write('inbox/0.pdf', 'x'.repeat(100_000));
  await folder.write('inbox/0.pdf.attachments/b.txt', 'x'.repeat(200_000));
  const { stdout } = await folder.run('plan', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ requests: 1, bytes: 300_000, seconds: 30 });
  expect((await folder.run('plan')).stdout).toContain('1 upload: 1 request, about 30 seconds.');
});
