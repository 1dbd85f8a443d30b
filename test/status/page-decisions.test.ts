import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { sumOf } from '../../src/lib/sum-of.ts';
import { columnsOf } from '../../src/status/metrics/delivery-history.ts';
import type { HistoryReport } from '../../src/status/metrics/delivery-history.ts';

const buckets = fc.array(fc.nat(1000), { minLength: 72, maxLength: 72 });

const histories: fc.Arbitrary<HistoryReport> = fc
  .record({ uploaded: buckets, modified: buckets, deleted: buckets, moved: buckets, failed: buckets })
  .map((counts) => ({ bucketSeconds: 1200, start: '2026-01-01T00:00:00.000Z', ...counts }));

describe('the chart', () => {
  it('loses no document of its span and counts none twice', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const columns = columnsOf(history);
        expect(columns).toHaveLength(72);
        const wanted = [history.uploaded, history.modified, history.moved, history.deleted, history.failed];
        const counts = columns.flatMap((column) => column.counts);
        expect(sumOf(counts, Number)).toBe(sumOf(wanted.flat(), Number));
        expect(columns.at(-1)?.counts.at(-1)).toBe(history.failed.at(-1));
        // It begins as far back as it says.
        expect(columns[0]?.start).toBe(Date.parse(history.start));
      }),
      { numRuns: 30 },
    );
  });
});
