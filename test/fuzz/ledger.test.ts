import { beforeEach, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import type { Change } from '../../src/model/ports/ledger-port.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { readLedger } from '../../src/ledger/read-ledger.ts';
import { verifyLedger } from '../../src/ledger/verify-ledger.ts';
import { fileIn, imageOf, layOut, withFile } from '../ledger/support/state-image.ts';
import type { Image } from '../ledger/support/state-image.ts';
import { contentOf, put, recordOf } from '../ledger/support/samples.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import { explore, fuzzTimeout, mutated } from './explore.ts';

const commits: readonly (readonly Change[])[] = [
  [put('a.pdf', recordOf(1))],
  [put('d/b.pdf', recordOf(2))],
  [{ kind: 'drop', ref: { folder: 'inbox', path: 'a.pdf' } }, put('c.pdf', recordOf(3))],
];

const folder = folderOfEachTest();
let dir: string;
let image: Image;
/** What the ledger held after each commit, as text. */
let states: readonly string[];

beforeEach(async () => {
  dir = folder.join('state');
  const first = await openLedger({ dir, clock: manualClock(), log: recordedLog(), compactAfterBytes: 1 });
  await first.commit([put('s.pdf', recordOf(9))]);
  await first.close();
  const seen = [await stateText()];
  const ledger = await openLedger({ dir, clock: manualClock(), log: recordedLog() });
  for (const changes of commits) {
    await ledger.commit(changes);
    seen.push(await stateText());
  }
  image = await imageOf(dir);
  await ledger.close();
  states = seen;
});
const stateText = async () => JSON.stringify(contentOf(await readLedger(dir)));

it(
  'a damaged journal or snapshot gives a state that was, or is refused in words; verify says the same',
  async () => {
    const damages = [...image.keys()].map((name) =>
      mutated(fileIn(image, name)).map((content) => withFile(image, name, content)),
    );
    await explore(fc.oneof(...damages), async (damaged) => {
      await layOut(dir, damaged);
      const found = await stateText().catch((error: { code?: string; message: string }) => {
        expect([error.code, error.message.includes(dir)]).toEqual(['ledger-damaged', true]);
        return null;
      });
      const report = await verifyLedger(dir);
      expect(report.recoverable).toBe(found !== null);
      if (found !== null) expect(states).toContain(found);
    });
  },
  fuzzTimeout,
);
