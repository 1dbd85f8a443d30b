import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { nextDelayMs, refusedDelayMs } from '../../src/model/back-off.ts';
import type { SetBack } from '../../src/model/back-off.ts';

const almostOne = 1 - Number.EPSILON;
const minute = 60_000;

function delay(parts: Partial<SetBack>): number {
  return nextDelayMs({ kind: 'unavailable', attempt: 1, retryAfterMs: null, random: almostOne, ...parts });
}

describe('back-off', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [9, 256_000],
    [10, 5 * minute],
    [1_000_000, 5 * minute],
    [0, 1_000],
  ])('waits after attempt %i at most %i ms', (attempt, ceiling) => {
    expect(delay({ attempt })).toBe(ceiling);
  });

  it.each([
    [1, 1 * minute],
    [2, 5 * minute],
    [3, 15 * minute],
    [4, 15 * minute],
    [999, 15 * minute],
  ])('waits after refusal %i, which a person has to end, %i ms', (attempt, ms) => {
    expect(refusedDelayMs(attempt)).toBe(ms);
  });
});

describe('Retry-After (N17)', () => {
  it.each([
    ['seconds', 7_000, 7_000],
    ['a part of a second, rounded up', 1_500.4, 1_501],
    ['less than the shortest pause', 1, 250],
    ['15 minutes', 15 * minute, 15 * minute],
    ['a day, cut', 86_400_000, 15 * minute],
    ['for ever, cut', Number.POSITIVE_INFINITY, 15 * minute],
  ])('is obeyed: %s', (_, retryAfterMs, ms) => {
    expect(delay({ retryAfterMs, random: 0, attempt: 8 })).toBe(ms);
    expect(delay({ retryAfterMs, kind: 'circuit', attempt: 8 })).toBe(ms);
  });

  it.each([[0], [-5_000], [Number.NaN], [Number.NEGATIVE_INFINITY]])(
    'is left aside when it is %d',
    (retryAfterMs) => {
      expect(delay({ retryAfterMs, attempt: 2 })).toBe(2_000);
    },
  );
});

it('always gives whole milliseconds between 250 ms and 15 minutes', () => {
  const setBacks = fc.record({
    kind: fc.constantFrom('unavailable', 'circuit'),
    attempt: fc.integer({ min: -1 }),
    retryAfterMs: fc.option(fc.double()),
    random: fc.double({ min: 0, max: almostOne, noNaN: true }),
  });
  fc.assert(
    fc.property(setBacks, (setBack) => {
      const ms = nextDelayMs(setBack);
      expect(Number.isInteger(ms)).toBe(true);
      expect(ms).toBeGreaterThanOrEqual(250);
      expect(ms).toBeLessThanOrEqual(15 * minute);
    }),
  );
});
