import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';

import type { LedgerPort } from '../../src/core/ledger-port.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { manualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { contentOf, put, recordingLog, recordOf } from './samples.ts';

let folder: TemporaryFolder;
const open: LedgerPort[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
});

afterEach(async () => {
  await Promise.allSettled(open.splice(0).map((ledger) => ledger.close()));
  await folder.remove();
});

async function openIt(): Promise<LedgerPort> {
  const ledger = await openLedger({ dir: folder.join('state'), clock: manualClock(), log: recordingLog() });
  open.push(ledger);
  return ledger;
}

describe('the ledger', () => {
  it('knows after a restart what was committed before', async () => {
    const ledger = await openIt();
    await ledger.commit([put('a/report-1.pdf', recordOf(1)), put('a/b/report-2.pdf', recordOf(2))]);
    await ledger.commit([{ kind: 'drop', ref: { folder: 'inbox', path: 'a/report-1.pdf' } }]);
    const before = contentOf(ledger);
    await ledger.close();

    const again = await openIt();
    expect(contentOf(again)).toEqual(before);
    expect(again.get({ folder: 'inbox', path: 'a/b/report-2.pdf' })).toEqual(recordOf(2));
  });

  it('keeps a snapshot that is one JSON document', async () => {
    const ledger = await openIt();
    await ledger.commit([put('a/report-1.pdf', recordOf(1))]);
    await ledger.close();
    expect(JSON.parse(await readFile(folder.join('state', 'ledger.json'), 'utf8'))).toMatchObject({
      version: 1,
    });
  });
});
