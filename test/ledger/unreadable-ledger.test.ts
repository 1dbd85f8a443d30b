import { chmod, chown, readdir, writeFile } from 'node:fs/promises';

import { expect, it } from '@jest/globals';

import { unreadable } from '../../src/ledger/ledger-errors.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { verifyLedger } from '../../src/ledger/verify-ledger.ts';
import { errorCode, errorMessage } from '../../src/model/errors.ts';
import { manualClock } from '../support/manual-clock.ts';
import { asUser, nobody } from '../support/processes/as-user.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const folder = folderOfEachTest();

/** A ledger of a user who is not root, one of whose files has this mode. */
async function ledgerWith(file: string, mode: number): Promise<string> {
  const dir = folder.join('state');
  const ledger = await openLedger({ dir, clock: manualClock(), log: recordedLog() });
  await ledger.close();
  await chmod(`${dir}/${file}`, mode);
  if (process.getuid?.() !== 0) return dir;
  await chmod(folder.path, 0o755);
  for (const path of [dir, ...(await readdir(dir)).map((name) => `${dir}/${name}`)])
    await chown(path, nobody, nobody);
  return dir;
}

it.each(['ledger.json', 'ledger.journal.1'])(
  'is not called damaged by a check of the ledger either (%s)',
  async (file) => {
    const dir = await ledgerWith(file, 0);
    await expect(asUser(() => verifyLedger(dir))).rejects.toMatchObject({ code: 'configuration' });
  },
);

it('a journal that may only be read is a ledger that cannot be written', async () => {
  const dir = await ledgerWith('ledger.journal.1', 0o400);
  await expect(
    asUser(() => openLedger({ dir, clock: manualClock(), log: recordedLog() })),
  ).rejects.toMatchObject({ code: 'ledger-unwritable' });
});

it('a lock that cannot be read is said to be so at once', async () => {
  const dir = await ledgerWith('ledger.json', 0o600);
  await writeFile(`${dir}/lock`, '', { mode: 0 });
  await expect(
    asUser(() => openLedger({ dir, clock: manualClock(), log: recordedLog() })),
  ).rejects.toMatchObject({
    code: 'ledger-unwritable',
    message: expect.stringContaining(`${dir}/lock: EACCES`),
  });
});

const failed = (code: string) => Object.assign(new Error(`${code}: no`), { code });

it.each([
  ['EACCES', 'permission denied, EACCES', 'as the user that runs ingestd'],
  ['EPERM', 'permission denied, EPERM', 'as the user that runs ingestd'],
  ['ENOTDIR', 'ENOTDIR', 'it is not a directory'],
])('a ledger that cannot be got at (%s) is not called damaged', (code, why, remedy) => {
  const error = unreadable('/state', failed(code));
  expect(errorCode(error)).toBe('configuration');
  expect(errorMessage(error)).toContain(`state.dir: /state cannot be read (${why}); `);
  expect(errorMessage(error)).toContain(remedy);
});

it('one that the disk cannot read is', () => {
  expect(errorCode(unreadable('/state/ledger.json', failed('EIO')))).toBe('ledger-damaged');
});
