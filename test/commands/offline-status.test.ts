import { mkdir, rename, rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Status } from '../../src/model/report/status.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { systemClock } from '../../src/daemon/system-clock.ts';
import { recordOf, statOf } from '../support/core-fixtures.ts';
import { ingestd } from '../support/ingestd.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;

/** As `sync` leaves it: twelve documents in the service, eleven of whose files are gone, and the deletion held. */
beforeEach(async () => {
  folder = await temporaryFolder();
  await folder.write(
    'ingestd.yaml',
    'service: {mode: embedded}\nfolders: [{name: inbox, path: inbox}]\nstate: {dir: state}\n',
  );
  await folder.write('inbox/0.pdf', 'x');
  const ledger = await openLedger({ dir: folder.join('state'), clock: systemClock, log: recordedLog() });
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
        code: 'forbidden',
        message: 'no',
        attempts: 1,
        stat: statOf(),
        fingerprint: '',
        history: [],
      },
    },
  ]);
  await ledger.close();
});

afterEach(() => folder.remove());

async function status(...args: string[]): Promise<string> {
  const { code, stdout } = await ingestd(['status', ...args], { cwd: folder.path });
  expect(code).toBe(0);
  return stdout;
}

it('without a daemon, status counts and names the held deletions, and its numbers add up', async () => {
  const { folders, held } = JSON.parse(await status('--json')) as Status;
  expect(folders).toMatchObject([{ onDisk: 1, synced: 0, failed: 1, held: 11 }]);
  expect(held).toMatchObject([{ folder: 'inbox', count: 11, since: '2026-01-01T00:00:00.000Z' }]);
  expect(held[0]?.paths).toContain('11.pdf');
  const text = await status();
  expect(text.split('\n')[0]).toBe(
    'ingestd is not running. 0 documents delivered. 1 document failed. 11 deletions held',
  );
  expect(text).toContain('11 deletions since 2026');
  expect(text).toContain('and 6 more');
});

it('what came back is not held any more, and of a folder that is away nothing is claimed', async () => {
  for (let index = 1; index < 11; index += 1) await folder.write(`inbox/${index}.pdf`, 'x');
  expect(JSON.parse(await status('--json'))).toMatchObject({ held: [{ count: 1, paths: ['11.pdf'] }] });
  await rename(folder.join('inbox'), folder.join('elsewhere'));
  const away = JSON.parse(await status('--json')) as Status;
  expect(away.held).toMatchObject([
    { count: 0, paths: [], reason: expect.stringContaining('cannot be read at the moment') },
  ]);
  await rm(folder.join('elsewhere'), { recursive: true });
  await mkdir(folder.join('inbox'));
});

it('of what the ledger does not know, nothing is claimed', async () => {
  await rm(folder.join('state'), { recursive: true });
  const text = await status();
  expect(text.split('\n')[0]).toBe('ingestd is not running. Nothing delivered yet');
  expect(text).not.toContain('cannot be read');
});
