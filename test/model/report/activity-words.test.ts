import { expect, it } from '@jest/globals';

import {
  createBursts,
  directoryOfAll,
  eventWords,
  standingWords,
} from '../../../src/model/report/activity-words.ts';
import { whySchema } from '../../../src/model/report/command-reports.ts';
import type { Why } from '../../../src/model/report/command-reports.ts';
import type { Activity } from '../../../src/model/report/status.ts';

/** `uploaded q3/1.txt`, or `moved q4/1.txt q3/1.txt`, oldest first, a second apart; a number is a pause in minutes. */
function happened(...told: readonly (string | number)[]): readonly Activity[] {
  let at = Date.parse('2026-01-31T14:00:00Z');
  return told.flatMap((one) => {
    at += typeof one === 'number' ? one * 60_000 : 1000;
    if (typeof one === 'number') return [];
    const [what = '', path = '', from] = one.split(' ');
    const by = what === 'kept' ? { by: 'page' as const } : {};
    const about = { folder: 'inbox', path, what, docId: null, message: null, documents: 1, ...by };
    const moved = from === undefined ? {} : { from: `inbox/${from}` };
    return [{ ...about, ...moved, at: new Date(at).toISOString() }];
  });
}

/** As lines that a person reads, oldest first. */
function lines(activities: readonly Activity[], least: number): readonly string[] {
  const bursts = createBursts();
  for (const activity of activities.toReversed()) bursts.add(activity);
  return bursts
    .lines(least)
    .toReversed()
    .map((burst) => `${burst[0].what} ${burst.map(({ path }) => path).join(' ')}`.trim());
}

it.each<[string, readonly (string | number)[], readonly string[]]>([
  [
    'two directories, interleaved, by what came last',
    ['uploaded a/1', 'uploaded b/1', 'uploaded a/2', 'uploaded b/2', 'uploaded a/3'],
    ['uploaded b/2 b/1', 'uploaded a/3 a/2 a/1'],
  ],
  [
    'something else in the same directory ends it',
    ['uploaded a/1', 'uploaded a/2', 'deleted a/1', 'uploaded a/3', 'uploaded a/4'],
    ['uploaded a/2 a/1', 'deleted a/1', 'uploaded a/4 a/3'],
  ],
  [
    'what is about the daemon or a folder ends all',
    ['uploaded a/1', 'uploaded a/2', 'stopped', 'uploaded a/3', 'uploaded a/4'],
    ['uploaded a/2 a/1', 'stopped', 'uploaded a/4 a/3'],
  ],
  [
    'a quarter of an hour ends it',
    ['uploaded a/1', 'uploaded a/2', 15, 'uploaded a/3'],
    ['uploaded a/2 a/1', 'uploaded a/3'],
  ],
  [
    'two directories that became one, and what came to it from a third, however they alternate',
    ['moved b/1 a/1', 'moved b/2 c/2', 'moved b/3 a/3', 'moved b/4 c/4', 'moved b/5 d/5'],
    ['moved b/3 b/1', 'moved b/4 b/2', 'moved b/5'],
  ],
  [
    'held deletions of one folder, wherever they are',
    ['held a/1', 'held b/1', 'uploaded b/2', 'held b/c/1', 'held 2'],
    ['uploaded b/2', 'held 2 b/c/1 b/1 a/1'],
  ],
  ['what a person decided in one folder', ['kept a/1', 'kept b/1', 'kept 2'], ['kept 2 b/1 a/1']],
])('what happened in a directory is one line: %s', (_name, told, expected) => {
  expect(lines(happened(...told), 2)).toEqual(expected);
});

it.each([
  ['failed: two dots', { what: 'failed', message: 'two dots' }],
  ['failed', { what: 'failed', message: 'told' }],
  ['moved to inbox/a: from inbox/b', { what: 'moved', message: null, from: 'inbox/b' }],
])('what happened to a file is said without what its story has told: %s', (words, given) => {
  const [one] = happened('failed a');
  expect(eventWords({ ...one!, ...given }, 'told')).toBe(words);
});

it.each([
  ['', ['held a/1', 'held b/1', 'held b/2']],
  ['b', ['held b/1', 'held b/c/1', 'held b/d/1']],
  ['b/c', ['held b/c/1', 'held b/c/2']],
])('many are in the innermost directory that has them all: %s', (directory, told) => {
  expect(directoryOfAll(happened(...told))).toBe(directory);
});

const at = '2026-01-31T14:00:00Z';
const due = '2026-01-31T14:05:00Z';
const delivered = { docId: 'd-1', uploadedAt: at };
const document = { kind: 'document', code: 'document', message: 'a document of this folder' };
const gone = { kind: 'absent', code: 'absent', message: 'the file is gone from the folder' };

it.each<[string, Partial<Why>]>([
  ['A document of this folder', {}],
  ['Delivered AT, sharing not known', delivered],
  ['The file is gone from the folder. Delivered AT, sharing not known', { ...delivered, verdict: gone }],
  ['The file is gone from the folder. Deleted AT', { ...delivered, deletedAt: at, verdict: gone }],
  ['To be sent. Delivered AT, sharing not known', { ...delivered, now: { state: 'pending', message: '' } }],
  ['Failed: no. Delivered AT, sharing not known', { ...delivered, now: { state: 'failed', message: 'no' } }],
  ['Waits until DUE: it is open', { now: { state: 'waiting', message: 'it is open' }, nextAt: due }],
  ['Waits: its sidecar is missing', { now: { state: 'waiting', message: 'its sidecar is missing' } }],
])('of a file says first what is so now: %s', (words, facts) => {
  const why = whySchema.parse({ folder: 'inbox', path: 'a.txt', verdict: document, next: '', ...facts });
  expect(standingWords(why, (iso) => (iso === at ? 'AT' : 'DUE'))).toBe(words);
});
