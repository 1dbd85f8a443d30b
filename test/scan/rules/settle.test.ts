import { appendFileSync, lstatSync, utimesSync, writeFileSync } from 'node:fs';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { createObservations, noLook } from '../../../src/scan/rules/settle.ts';
import type { Observations } from '../../../src/scan/rules/settle.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';

const settleMs = 2_000;
const hourMs = 3_600_000;

const folder = folderOfEachTest();
let observations: Observations;

beforeEach(async () => {
  observations = createObservations(settleMs, () => 0);
  await folder.write('a', 'a');
});

const statsOf = (name: string) => lstatSync(folder.join(name));
const list = () => observations.list('', statsOf('.'), [{ name: 'a', stats: statsOf('a') }]);

function settlesIn(at: number): number {
  observations.moment(at);
  return observations.settle('a', statsOf('a'));
}

describe('a file settles when two looks that are far enough apart agree (F1, F5, F49)', () => {
  const times: readonly (readonly [string, Date | null])[] = [
    ['just now', null],
    ['an hour ago', new Date(Date.now() - hourMs)],
    ['in an hour', new Date(Date.now() + hourMs)],
  ];

  it.each(times)('by the clock of this process, where its time says that it was written %s', (_, time) => {
    if (time !== null) utimesSync(folder.join('a'), time, time);
    expect(settlesIn(50_000)).toBe(settleMs);
    expect(settlesIn(50_000 + 1_500)).toBe(500);
    expect(settlesIn(50_000 + settleMs)).toBe(0);
  });

  it('the first of which may be a listing', () => {
    observations.moment(0);
    list();
    expect(settlesIn(1_500)).toBe(500);
    expect(settlesIn(settleMs)).toBe(0);
  });

  it('also where its number is beyond 2^53, and one of the two took it for unknown', () => {
    const listed = Object.assign(statsOf('a'), { ino: 2 ** 53 });
    const inspected = Object.assign(statsOf('a'), { ino: 0 });
    observations.moment(0);
    observations.list('', statsOf('.'), [{ name: 'a', stats: listed }]);
    observations.moment(1_500);
    expect(observations.settle('a', inspected)).toBe(500);
  });

  it.each([
    ['an inspection', () => void settlesIn(1_500)],
    ['a listing', () => (observations.moment(1_500), void list())],
  ])('and not sooner where %s between them saw it otherwise', (_, look) => {
    observations.moment(0);
    list();
    const before = statsOf('a');
    utimesSync(folder.join('a'), 1.5, 1.5);
    look();
    expect(settlesIn(settleMs)).toBe(1_500);
    observations.moment(1_500 + settleMs);
    expect(observations.settle('a', statsOf('a'))).toBe(0);
    expect(observations.settle('a', before)).toBe(settleMs);
  });

  it('A11: later where its times are whole seconds: what is written within their step looks the same', () => {
    utimesSync(folder.join('a'), 10, 10);
    const coarse = Object.assign(statsOf('a'), { ctimeMs: 12_000 });
    observations.moment(0);
    expect(observations.settle('a', coarse)).toBe(settleMs + 2_000);
    observations.moment(settleMs + 2_000);
    expect(observations.settle('a', coarse)).toBe(0);
  });
});

describe('a listing', () => {
  it('tells what is new in a directory, or was written since', () => {
    writeFileSync(folder.join('b'), 'b');
    const both = () => ['a', 'b'].map((name) => ({ name, stats: statsOf(name) }));
    const again = () => [...observations.list('d', statsOf('.'), both())];
    expect(again()).toEqual(['a', 'b']);
    appendFileSync(folder.join('b'), 'more');
    expect(observations.isListed('d/b', statsOf('b'))).toBe(false);
    expect(again()).toEqual(['b']);
    expect(again()).toEqual([]);
    observations.forget('d');
    expect(again()).toEqual(['a', 'b']);
  });
});

describe('an attachment that is missing', () => {
  it('is remembered since it was noted first, until it is there', () => {
    observations.moment(100);
    expect(observations.standsMs('d\0t', noLook)).toBe(0);
    observations.moment(400);
    expect(observations.standsMs('d\0t', noLook)).toBe(300);
    observations.unsee('d\0t');
    expect(observations.standsMs('d\0t', noLook)).toBe(0);
  });

  it.each([
    ['not before an hour', hourMs, hourMs],
    ['after an hour where there are thousands', hourMs + settleMs + 1, 0],
  ])('is forgotten %s', (_when, moment, missingMs) => {
    observations.moment(0);
    for (let index = 0; index < 5_000; index += 1) observations.standsMs(`d\0old ${index}`, noLook);
    observations.moment(moment);
    observations.prune();
    expect(observations.standsMs('d\0old 0', noLook)).toBe(missingMs);
  });
});
