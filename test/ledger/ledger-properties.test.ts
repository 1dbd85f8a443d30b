import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { openLedger } from '../../src/ledger/open-ledger.ts';
import { readLedger } from '../../src/ledger/read-ledger.ts';
import { fileKey } from '../../src/model/document.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { temporaryFolderInMemory } from '../support/temporary-folder.ts';
import { anyCommits } from './support/arbitraries.ts';
import { modelOf } from './support/model.ts';
import { contentOf } from './support/samples.ts';

describe('any history of changes', () => {
  it('is the same in memory, in a second reader, after a restart and after a snapshot', async () => {
    await fc.assert(
      fc.asyncProperty(anyCommits, fc.constantFrom(1, 800, 1_000_000), async (commits, compactAfterBytes) => {
        const folder = await temporaryFolderInMemory();
        const options = { dir: folder.path, clock: manualClock(), log: recordedLog(), compactAfterBytes };
        try {
          const first = await openLedger(options);
          for (const changes of commits) await first.commit(changes);
          const expected = modelOf(commits);
          expect(contentOf(first)).toEqual(expected);
          expect(contentOf(await readLedger(folder.path))).toEqual(expected);
          await first.close();

          const second = await openLedger({ ...options, compactAfterBytes: 1 });
          expect(contentOf(second)).toEqual(expected);
          await second.close();
          expect(contentOf(await readLedger(folder.path))).toEqual(expected);
          expect(options.log.lines).toEqual([]);
        } finally {
          await folder.remove();
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is found again by its file and by its docId', async () => {
    await fc.assert(
      fc.asyncProperty(anyCommits, async (commits) => {
        const folder = await temporaryFolderInMemory();
        const ledger = await openLedger({ dir: folder.path, clock: manualClock(), log: recordedLog() });
        try {
          for (const changes of commits) await ledger.commit(changes);
          const entries = [...ledger.entries()];
          for (const { ref, record } of entries) {
            expect(ledger.findByDocId(record.docId)).toEqual(ref);
            const same = entries.filter((entry) => fileKey(entry.record.stat) === fileKey(record.stat));
            const found = ledger.findByFile(record.stat);
            expect(found).toHaveLength(same.length);
            for (const entry of found) expect(same).toContainEqual(entry);
          }
        } finally {
          await ledger.close();
          await folder.remove();
        }
      }),
      { numRuns: 30 },
    );
  });
});
