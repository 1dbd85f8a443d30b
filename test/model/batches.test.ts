import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { batches, maxBulkDocuments } from '../../src/model/batches.ts';
import type { Batchable } from '../../src/model/batches.ts';

function many(count: number, key: string | null, from = 0): Batchable[] {
  return Array.from({ length: count }, (_, index) => ({ docId: `doc-${from + index}`, key }));
}

describe('bulk calls, interface section 8', () => {
  it.each([
    [0, []],
    [1, [1]],
    [250, [250]],
    [251, [250, 1]],
    [600, [250, 250, 100]],
  ])('puts %i documents of one key into calls of %j', (count, sizes) => {
    expect(batches(many(count, 'a')).map((call) => call.length)).toEqual(sizes);
  });

  it('keeps keys apart and leaves alone what has none', () => {
    const [a1, a2] = many(2, 'a');
    const [b1, b2] = many(2, 'b', 2);
    const [n1, n2] = many(2, null, 4);
    const given = [a1, n1, b1, a2, n2, b2].filter((one) => one !== undefined);
    expect(batches(given)).toEqual([[a1, a2], [n1], [b1, b2], [n2]]);
  });

  it('keeps the key without a text apart from no key', () => {
    expect(batches([...many(2, ''), ...many(2, null, 2)])).toHaveLength(3);
  });

  it('never names a document twice in one call, and loses none', () => {
    const twice = [...many(2, 'a'), ...many(2, 'a')];
    expect(batches(twice)).toEqual([many(2, 'a'), many(2, 'a')]);
    expect(batches([...many(2, 'a'), ...many(1, 'a', 1)])).toEqual([many(2, 'a'), many(1, 'a', 1)]);
  });

  it('sorts 100,000 deletions quickly', () => {
    expect(batches(many(100_000, 'a'))).toHaveLength(400);
  });

  it('carries everything exactly once, in order, in as few calls as can be', () => {
    const operations = fc.array(fc.record({ docId: fc.uuid(), key: fc.constantFrom(null, 'a', 'b') }), {
      maxLength: 600,
      size: 'max',
    });
    fc.assert(
      fc.property(operations, (given) => {
        const calls = batches(given);
        expect(calls.flat().toSorted(byPlaceIn(given))).toEqual(given);
        for (const call of calls) {
          expect(call.length).toBeLessThanOrEqual(maxBulkDocuments);
          expect(new Set(call.map(({ docId }) => docId)).size).toBe(call.length);
          expect(new Set(call.map(({ key }) => key)).size).toBe(1);
          expect(call).toEqual(call.toSorted(byPlaceIn(given)));
        }
        const counts = ['a', 'b'].map((key) => given.filter((one) => one.key === key).length);
        const single = given.filter(({ key }) => key === null).length;
        const least = counts.reduce((sum, count) => sum + Math.ceil(count / maxBulkDocuments), single);
        expect(calls).toHaveLength(least);
      }),
      { numRuns: 30 },
    );
  });
});

function byPlaceIn(given: readonly Batchable[]): (a: Batchable, b: Batchable) => number {
  const places = new Map(given.map((one, index) => [one, index]));
  return (a, b) => (places.get(a) ?? -1) - (places.get(b) ?? -1);
}
