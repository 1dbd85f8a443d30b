import { beforeAll, describe, expect, it } from '@jest/globals';

import { readTestedRows } from '../support/repository/fault-rows.ts';
import { faults, withoutTest } from './faults.ts';

let tested: Awaited<ReturnType<typeof readTestedRows>>;

beforeAll(async () => {
  tested = await readTestedRows('test');
});

describe('the fault matrix', () => {
  const rows = Object.keys(faults);

  it('has no gap in its numbers', () => {
    const counts = new Map<string, number>();
    for (const number of rows) {
      const letter = number.slice(0, 1);
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
      expect(number).toBe(`${letter}${counts.get(letter)}`);
    }
    expect(rows.length).toBeGreaterThan(180);
  });

  it('holds each row by a test that bears its number, or says why there is none', () => {
    expect(rows.filter((number) => !tested.has(number) && !(number in withoutTest))).toEqual([]);
  });

  it('gives no reason for a row that a test holds', () => {
    expect(Object.keys(withoutTest).filter((number) => tested.has(number))).toEqual([]);
  });

  it('gives its reasons in words', () => {
    expect(Object.values(withoutTest).filter((reason) => reason.split(' ').length < 6)).toEqual([]);
  });

  it('has every row that the title of a test bears', () => {
    expect([...tested].filter(([number]) => !(number in faults))).toEqual([]);
  });
});
