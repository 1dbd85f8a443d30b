import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { settleDelay } from '../../../src/scan/rules/settle.ts';

const now = Date.UTC(2026, 0, 1);
const question = {
  stat: { mtimeMs: now - 10_000, ctimeMs: now - 10_000 },
  seenSince: null,
  hasChanged: false,
  now,
  monotonic: 50_000,
  jumpedAt: null,
  settleMs: 2_000,
};

describe('settling (F1, F5, F49)', () => {
  it('takes a file that has been quiet for long at the first inspect', () => {
    expect(settleDelay(question)).toBe(0);
  });

  it('counts quiet time from the mtime', () => {
    expect(settleDelay({ ...question, stat: { mtimeMs: now - 500, ctimeMs: now - 500 } })).toBe(1_500);
    expect(settleDelay({ ...question, stat: { mtimeMs: now - 2_000, ctimeMs: now - 2_000 } })).toBe(0);
  });

  it('takes an older file that was moved in a moment ago at the second inspect', () => {
    const movedIn = { ...question, stat: { mtimeMs: now - 86_400_000, ctimeMs: now - 10 } };
    expect(settleDelay(movedIn)).toBeGreaterThan(0);
    expect(settleDelay({ ...movedIn, seenSince: 49_990 })).toBe(0);
  });

  it('counts from the last change that was seen where the times of a file are older than that change', () => {
    const written = { ...question, stat: { mtimeMs: now - 3_600_000, ctimeMs: now - 10 }, hasChanged: true };
    expect(settleDelay(written)).toBe(2_000);
    expect(settleDelay({ ...written, seenSince: 49_000 })).toBe(1_000);
    expect(settleDelay({ ...written, seenSince: 48_000 })).toBe(0);
    expect(settleDelay({ ...written, stat: { mtimeMs: now - 3_600_000, ctimeMs: now - 3_600_000 } })).toBe(
      2_000,
    );
  });

  it('waits on the monotonic clock for an mtime in the future, and not for ever', () => {
    const future = { ...question, stat: { mtimeMs: now + 3_600_000, ctimeMs: now } };
    expect(settleDelay(future)).toBe(2_000);
    expect(settleDelay({ ...future, seenSince: 49_000 })).toBe(1_000);
    expect(settleDelay({ ...future, seenSince: 48_000 })).toBe(0);
  });

  it('does not believe a wall clock that has just jumped ahead', () => {
    const jumped = { ...question, jumpedAt: 49_900, seenSince: 49_800 };
    expect(settleDelay(jumped)).toBe(1_800);
    expect(settleDelay({ ...jumped, jumpedAt: 47_000 })).toBe(0);
  });

  it('takes a file seen unchanged for long enough, whatever its times say', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (mtimeMs, ctimeMs) => {
        expect(settleDelay({ ...question, stat: { mtimeMs, ctimeMs }, seenSince: 48_000 })).toBe(0);
      }),
    );
  });

  it('never asks for more than the settle time, and gives whole milliseconds', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true }),
        fc.option(fc.integer({ min: 0, max: 50_000 })),
        fc.option(fc.integer({ min: 0, max: 50_000 })),
        (mtimeMs, seenSince, jumpedAt) => {
          const delay = settleDelay({
            ...question,
            stat: { mtimeMs, ctimeMs: mtimeMs },
            seenSince,
            jumpedAt,
          });
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(2_000);
          expect(Number.isInteger(delay)).toBe(true);
        },
      ),
    );
  });
});
