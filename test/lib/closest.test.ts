import { describe, expect, it } from '@jest/globals';
import { closest } from '../../src/lib/text/closest.ts';

describe('the word that was meant', () => {
  it.each([
    ['setleMs', 'settleMs'],
    ['SETTLEMS', 'settleMs'],
    ['settelMs', 'settleMs'],
    ['staus', 'status'],
    ['snyc', 'sync'],
    ['sync', 'sync'],
  ])('is found for %s', (word, meant) => {
    expect(closest(word, ['sync', 'status', 'settleMs', 'service'])).toBe(meant);
  });

  it.each(['', 'x', 'elephant', 'zzzz'])('is not guessed for %j', (word) => {
    expect(closest(word, ['sync', 'status', 'settleMs', 'service'])).toBeUndefined();
  });
});
