import { expect, it } from '@jest/globals';

import { createCommitQueue } from '../../../src/ledger/journal/commit-queue.ts';

import { LedgerData } from '../../../src/ledger/records/ledger-data.ts';
import { put, recordOf } from '../support/samples.ts';

it('commits that come together are written together, and one that may not be is refused alone', async () => {
  const written: number[] = [];
  const data = new LedgerData();
  const queue = createCommitQueue(data, async (changes, apply) => {
    written.push(changes.length);
    await Promise.resolve();
    apply();
  });
  const outside = put('../a.pdf', recordOf(9));
  const results = await Promise.allSettled([
    queue.commit([put('a.pdf', recordOf(1))]),
    queue.commit([put('b.pdf', recordOf(1))]),
    queue.commit([put('c.pdf', recordOf(2)), put('d.pdf', recordOf(3))]),
    queue.commit([]),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(results[1]).toMatchObject({ reason: { code: 'double-doc-id' } });
  // Where nothing is left to write the disk is left alone.
  await expect(queue.commit([outside])).rejects.toMatchObject({ code: 'bad-change' });
  expect(written).toEqual([3]);
  await queue.close();
  await expect(queue.commit([])).rejects.toMatchObject({ code: 'stopped' });
});
