import { link, lstat, rename, rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { missingFiles } from '../../src/daemon/preconditions/folders-on-disk.ts';
import type { LedgerPort } from '../../src/model/ports/ledger-port.ts';
import { statOf } from '../../src/scan/rules/entry.ts';
import { recordOf } from '../support/fixtures/model-fixtures.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import type { TrialFolder } from '../support/processes/trial-folder.ts';

let folder: TrialFolder;
let ledger: LedgerPort;

beforeEach(async () => {
  folder = await trialFolder();
  ledger = await folder.openLedger();
  await folder.write('other/.keep', '');
  for (const path of ['n1.txt', 'n2.txt', 'n10.txt']) await folder.write(`inbox/${path}`, path);
  await link(folder.join('inbox/n1.txt'), folder.join('inbox/twin.txt'));
  for (const path of ['n1.txt', 'n2.txt', 'n10.txt', 'twin.txt']) await deliver(path);
});

afterEach(async () => {
  await ledger.close();
  await folder.remove();
});

async function deliver(path: string): Promise<void> {
  const record = recordOf({ docId: path, stat: statOf(await lstat(folder.join('inbox', path))) });
  await ledger.commit([{ kind: 'put', ref: { folder: 'inbox', path }, record }]);
}

const missing = () => {
  const [inbox, other] = ['inbox', 'other'].map((name) => ({ name, path: folder.join(name) }));
  if (inbox === undefined || other === undefined) throw new Error('no folders');
  return missingFiles(ledger, inbox, [inbox, other]);
};

it('files that are gone are missing, in the order in which people count', async () => {
  expect(await missing()).toEqual([]);
  for (const path of ['n10.txt', 'n2.txt']) await rm(folder.join('inbox', path));
  expect(await missing()).toEqual(['n2.txt', 'n10.txt']);
});

it('files that stand elsewhere are not missing, in another folder or under a name that is never sent', async () => {
  await rename(folder.join('inbox/n2.txt'), folder.join('other/n2.txt'));
  await rename(folder.join('inbox/n10.txt'), folder.join('inbox/.n10.txt'));
  expect(await missing()).toEqual([]);
});

it('a hard link that is a document of its own does not stand for one that is gone', async () => {
  await rm(folder.join('inbox/n1.txt'));
  expect(await missing()).toEqual(['n1.txt']);
});
