import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { columnCount, columnsOf, roundUp, stack } from '../../src/status/page/data/proportions.ts';
import { groupByCause } from '../../src/model/report/explanations.ts';
import type { HistoryReport } from '../../src/status/metrics/delivery-history.ts';
import { shortDuration } from '../../src/status/page/data/time-words.ts';

const buckets = fc.array(fc.nat(1000), { minLength: 288, maxLength: 288 });

const histories: fc.Arbitrary<HistoryReport> = fc
  .record({ uploaded: buckets, modified: buckets, deleted: buckets, moved: buckets, failed: buckets })
  .map((counts) => ({ bucketSeconds: 300, start: '2026-01-01T00:00:00.000Z', ...counts }));

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

describe('the chart', () => {
  it('loses no document of its span and counts none twice', () => {
    fc.assert(
      fc.property(histories, fc.constantFrom(6, 24), (history, hours) => {
        const columns = columnsOf(history, hours);
        expect(columns).toHaveLength(columnCount);
        const span = -hours * 12;
        const wanted = [history.uploaded, history.modified, history.moved, history.deleted, history.failed];
        expect(sum(columns.map(({ total }) => total))).toBe(
          sum(wanted.map((counts) => sum(counts.slice(span)))),
        );
        expect(columns.at(-1)?.counts.failed).toBe(sum(history.failed.slice(hours === 6 ? -1 : -4)));
      }),
      { numRuns: 30 },
    );
  });

  it('begins as far back as it says', () => {
    const empty = Array.from({ length: 288 }, () => 0);
    const history = {
      bucketSeconds: 300,
      start: '2026-01-01T00:00:00.000Z',
      uploaded: empty,
      modified: empty,
      deleted: empty,
      moved: empty,
      failed: empty,
    };
    expect(new Date(columnsOf(history, 6)[0]?.start ?? 0).toISOString()).toBe('2026-01-01T18:00:00.000Z');
    expect(new Date(columnsOf(history, 24)[0]?.start ?? 0).toISOString()).toBe('2026-01-01T00:00:00.000Z');
  });

  it('has a top that nothing rises above, and that is not far above', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (value) => {
        const top = roundUp(value);
        expect(top).toBeGreaterThanOrEqual(value);
        expect(top).toBeLessThanOrEqual(Math.max(2, value * 1.5));
      }),
    );
  });

  it('stacks its pieces from the ground without gaps', () => {
    const counts = { uploaded: 5, modified: 3, moved: 0, deleted: 1, failed: 1 };
    const pieces = stack({ start: 0, counts, total: 10 }, 20);
    expect(pieces[0]).toEqual({ kind: 'uploaded', y: 75, height: 25 });
    let ground = 100;
    for (const { y, height } of pieces) {
      expect(y + height).toBeCloseTo(ground);
      ground = y;
    }
    expect(ground).toBe(50);
  });
});

describe('failures by cause', () => {
  it('put the cause first that most suffer from, and keep each document', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ code: fc.constantFrom('a', 'b', 'c', '__proto__'), id: fc.nat() })),
        (items) => {
          const groups = groupByCause(items);
          expect(groups.flatMap((group) => group.items)).toHaveLength(items.length);
          const sizes = groups.map((group) => group.items.length);
          expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
          for (const { code, items: members } of groups) {
            expect(members).toEqual(items.filter((item) => item.code === code));
          }
        },
      ),
    );
  });
});

describe('durations', () => {
  it.each([
    [0, '0 s'],
    [0.2, '1 s'],
    [99, '99 s'],
    [120, '2 min'],
    [7200, '2 h'],
    [259_200, '3 days'],
  ])('of %d seconds read %s', (seconds, words) => {
    expect(shortDuration(seconds)).toBe(words);
  });
});
