import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { createRowIndex, hashNumber, hashText } from '../../src/ledger/row-index.ts';

describe('an index of rows', () => {
  it('finds what was added and not removed, however many hashes are equal', () => {
    const steps = fc.array(fc.record({ add: fc.boolean(), row: fc.nat(40) }), { maxLength: 400 });
    const sizes = fc.record({ hashes: fc.integer({ min: 1, max: 50 }), reserved: fc.nat(300) });
    fc.assert(
      fc.property(steps, sizes, (steps, { hashes, reserved }) => {
        const hashOf = (row: number): number => row % hashes;
        const index = createRowIndex(hashOf);
        const present = new Set<number>();
        for (const [step, { add, row }] of steps.entries()) {
          if (step === 10) index.reserve(reserved);
          if (add && !present.has(row)) {
            const isShared = [...present].some((other) => hashOf(other) === hashOf(row));
            expect(index.add(row)).toBe(isShared);
            present.add(row);
          } else if (!add && present.delete(row)) index.remove(row);
        }
        for (let hash = 0; hash < hashes; hash += 1) {
          const expected = [...present].filter((row) => hashOf(row) === hash);
          expect(new Set(index.candidates(hash))).toEqual(new Set(expected));
        }
      }),
    );
  });

  it('stays quick when rows come and go for long', () => {
    const index = createRowIndex((row) => row);
    for (let row = 0; row < 200_000; row += 1) {
      index.add(row);
      if (row >= 100) index.remove(row - 100);
    }
    expect(index.candidates(199_950)).toEqual([199_950]);
    expect(index.candidates(5)).toEqual([]);
  });

  it('tells inode numbers beyond 32 bits apart', () => {
    expect(hashNumber(2 ** 40 + 1)).not.toBe(hashNumber(1));
    expect(new Set(Array.from({ length: 1000 }, (_, number) => hashText(`doc-${number}`))).size).toBe(1000);
  });
});
