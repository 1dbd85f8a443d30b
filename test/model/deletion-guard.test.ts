import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { judgeDeletions, recentDeletions } from '../../src/model/deletion-guard.ts';
import type { Proposal } from '../../src/model/deletion-guard.ts';

function proposalOf(parts: Partial<Proposal>): Proposal {
  return {
    removed: 0,
    recent: 0,
    held: 0,
    documents: 20,
    limits: { maxDeleteCount: 10, maxDeletePercent: 50 },
    rootChanged: false,
    unmounted: 0,
    ...parts,
  };
}

const cases: readonly (readonly [string, Partial<Proposal>, 'allow' | 'hold'])[] = [
  ['lets nothing at all through', { removed: 0 }, 'allow'],
  ['lets exactly the count through, though it is everything', { removed: 10, documents: 10 }, 'allow'],
  ['lets exactly the percentage through', { removed: 50, documents: 100 }, 'allow'],
  ['holds one more than the percentage', { removed: 51, documents: 100 }, 'hold'],
  ['holds one more than the count where that is too much', { removed: 11, documents: 21 }, 'hold'],
  ['lets one more than the count through where it is exactly half', { removed: 11, documents: 22 }, 'allow'],
  ['holds the whole folder', { removed: 11, documents: 11 }, 'hold'],
  ['counts what went in the last ten minutes', { removed: 1, recent: 10 }, 'hold'],
  ['lets the last one of the percentage through', { removed: 1, recent: 9, documents: 20 }, 'allow'],
  ['counts what is held', { removed: 1, held: 10 }, 'hold'],
  ['holds one deletion where none is allowed', { removed: 1, limits: limitsOf(0, 0) }, 'hold'],
  ['lets everything through at 100 %', { removed: 20, limits: limitsOf(10, 100) }, 'allow'],
  ['lets many of very many through', { removed: 600, documents: 100_000 }, 'allow'],
  ['holds in a folder that counted nothing before', { removed: 11, documents: 0 }, 'hold'],
  ['holds a single one when the root is another', { removed: 1, rootChanged: true }, 'hold'],
  ['holds a single one when its file system is no longer mounted', { removed: 1, unmounted: 1 }, 'hold'],
  ['has nothing to hold when the root is another and nothing is gone', { rootChanged: true }, 'allow'],
];

function limitsOf(maxDeleteCount: number, maxDeletePercent: number): Proposal['limits'] {
  return { maxDeleteCount, maxDeletePercent };
}

describe('the guard of deletions', () => {
  it.each(cases)('%s', (_, parts, kind) => {
    expect(judgeDeletions(proposalOf(parts)).kind).toBe(kind);
  });

  it('names those that a volume took with it', () => {
    expect(judgeDeletions(proposalOf({ removed: 1, unmounted: 1 }))).toEqual({
      kind: 'hold',
      reason: 'a volume was mounted or unmounted below the folder, and documents are missing since',
    });
  });

  it('never lets more through in slices than at once', () => {
    const slices = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 });
    const limits = fc.record({ maxDeleteCount: fc.nat(50), maxDeletePercent: fc.nat(100) });
    fc.assert(
      fc.property(slices, limits, fc.integer({ min: 0, max: 200 }), (removals, limits, documents) => {
        let recent = 0;
        let held = 0;
        for (const removed of removals) {
          const verdict = judgeDeletions(proposalOf({ removed, recent, held, documents, limits }));
          if (verdict.kind === 'allow') recent += removed;
          else held += removed;
        }
        const most = Math.max(limits.maxDeleteCount, (documents * limits.maxDeletePercent) / 100);
        expect(recent).toBeLessThanOrEqual(most);
      }),
    );
  });
});

describe('deletions of the last ten minutes', () => {
  const now = 10_000_000;
  const clock = { now: () => now };

  it('are also those that seem to lie ahead after the clock was set back', () => {
    expect(recentDeletions([{ at: now + 3_600_000, count: 5 }], clock).count).toBe(5);
  });

  it('are those of ten minutes since the boot, whatever the clock was set to meanwhile', () => {
    const sinceBoot = () => ({ bootId: 'this', ms: 700_000 });
    const removals = [
      { at: now - 3_600_000, sinceBoot: { bootId: 'this', ms: 640_000 }, count: 1 },
      { at: now, sinceBoot: { bootId: 'this', ms: 99_990 }, count: 10 },
      { at: now - 3_600_000, sinceBoot: { bootId: 'other', ms: 900_000 }, count: 100 },
    ];
    expect(recentDeletions(removals, { now: () => now, sinceBoot }).count).toBe(1);
    const soonAfterBoot = () => ({ bootId: 'this', ms: 60_000 });
    expect(recentDeletions(removals.slice(2), { now: () => now, sinceBoot: soonAfterBoot }).count).toBe(100);
  });
});
