import { lstatSync, utimesSync } from 'node:fs';

import { beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { createObservations, settleDelay } from '../../../src/scan/rules/settle.ts';
import type { Observations } from '../../../src/scan/rules/settle.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';

const now = Date.UTC(2026, 0, 1);
const times = { mtimeMs: now - 10_000, ctimeMs: now - 10_000 };
const question = {
  stat: times,
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
    expect(settleDelay({ ...question, stat: { ...times, mtimeMs: now - 500, ctimeMs: now - 500 } })).toBe(
      1_500,
    );
    expect(settleDelay({ ...question, stat: { ...times, mtimeMs: now - 2_000, ctimeMs: now - 2_000 } })).toBe(
      0,
    );
  });

  it('counts from when an older file got its name: what belongs to it may come after it', () => {
    const movedIn = { ...question, stat: { mtimeMs: now - 86_400_000, ctimeMs: now - 500 } };
    expect(settleDelay(movedIn)).toBe(1_500);
    expect(settleDelay({ ...movedIn, seenSince: 49_990 })).toBe(1_500);
    expect(settleDelay({ ...movedIn, stat: { ...movedIn.stat, ctimeMs: now - 2_000 } })).toBe(0);
  });

  it('counts from the last change that was seen where the times of a file are older than that change', () => {
    const written = {
      ...question,
      stat: { mtimeMs: now - 3_600_000, ctimeMs: now - 3_600_000 },
      hasChanged: true,
    };
    expect(settleDelay(written)).toBe(2_000);
    expect(settleDelay({ ...written, seenSince: 49_000 })).toBe(1_000);
    expect(settleDelay({ ...written, seenSince: 48_000 })).toBe(0);
  });

  it('waits on the monotonic clock for an mtime in the future, and not for ever', () => {
    const future = { ...question, stat: { ...times, mtimeMs: now + 3_600_000, ctimeMs: now } };
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
        expect(settleDelay({ ...question, stat: { ...times, mtimeMs, ctimeMs }, seenSince: 48_000 })).toBe(0);
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

describe('observations: what is remembered of files', () => {
  const settleMs = 2_000;
  const hourMs = 3_600_000;

  const folder = folderOfEachTest();
  let observations: Observations;

  beforeEach(async () => {
    observations = createObservations(settleMs);
    await folder.write('a', 'a');
  });

  /** The wall clock shows this much more than the file's times; so much time has passed. */
  function moment(aheadMs: number, monotonic: number): void {
    observations.moment({ now: Math.floor(lstatSync(folder.join('a')).ctimeMs) + aheadMs, monotonic });
  }

  const settle = () => observations.settle('a', lstatSync(folder.join('a')));

  describe('a file settles', () => {
    it('by its times, where clocks agree', () => {
      moment(500, 0);
      expect(settle()).toBeGreaterThan(1_400);
      moment(settleMs + 1, 1_501);
      expect(settle()).toBe(0);
    });

    it('by the time since it was seen first, right after the wall clock has jumped ahead', () => {
      moment(0, 0);
      expect(settle()).toBe(settleMs);
      moment(hourMs, 100);
      expect(settle()).toBe(settleMs - 100);
      moment(hourMs + 1_800, 1_900);
      expect(settle()).toBe(100);
      moment(hourMs + 1_900, settleMs);
      expect(settle()).toBe(0);
    });

    it('by its times again, some time after the jump', () => {
      moment(0, 0);
      moment(hourMs, 100);
      moment(hourMs + settleMs, settleMs + 100);
      expect(settle()).toBe(0);
    });

    it('not by a jump that is none: clocks drift', () => {
      moment(1_500, 0);
      moment(settleMs + 400, 100);
      expect(settle()).toBe(0);
    });

    it('by the time since it changed, where its times are older than that', () => {
      moment(hourMs, 0);
      observations.see('a', lstatSync(folder.join('a')));
      utimesSync(folder.join('a'), 1, 1);
      moment(0, 1_000);
      observations.see('a', lstatSync(folder.join('a')));
      utimesSync(folder.join('a'), 2, 2);
      moment(500, 1_500);
      expect(settle()).toBe(settleMs);
    });
  });

  it('thousands of young files are remembered for their time, and no longer than an hour', () => {
    moment(0, 0);
    const stats = lstatSync(folder.join('a'));
    for (let index = 0; index < 5_000; index += 1) observations.see(`b${index}`, stats);
    observations.see('a', stats);
    moment(hourMs, 1_500);
    observations.prune();
    expect(settle()).toBeLessThan(1_500);
    moment(3 * hourMs, 2 * hourMs);
    observations.prune();
    moment(0, 2 * hourMs + 1);
    expect(settle()).toBe(settleMs);
  });

  describe('what is missing', () => {
    it('is remembered since it was noted first, until it is there', () => {
      observations.moment({ now: 0, monotonic: 100 });
      expect([observations.missingMs('claim', 't'), observations.noteMissing('claim', 't')]).toEqual([
        null,
        0,
      ]);
      observations.moment({ now: 0, monotonic: 400 });
      expect([
        observations.missingMs('claim', 't'),
        observations.noteMissing('claim', 't'),
        observations.missingMs('companion', 't'),
      ]).toEqual([300, 300, null]);
      observations.endMissing('claim', 't');
      expect([observations.missingMs('claim', 't'), observations.noteMissing('claim', 't')]).toEqual([
        null,
        0,
      ]);
    });

    it('is forgotten after an hour where there are thousands, and not before', () => {
      observations.moment({ now: 0, monotonic: 0 });
      for (let index = 0; index < 5_000; index += 1) observations.noteMissing('claim', `old ${index}`);
      observations.moment({ now: 0, monotonic: hourMs });
      observations.noteMissing('claim', 'young');
      observations.prune();
      expect(observations.missingMs('claim', 'old 0')).toBe(hourMs);
      observations.moment({ now: 0, monotonic: hourMs + 1 });
      observations.prune();
      expect([observations.missingMs('claim', 'old 0'), observations.missingMs('claim', 'young')]).toEqual([
        null,
        1,
      ]);
    });
  });
});
