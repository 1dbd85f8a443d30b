import { expect, it } from '@jest/globals';

import { logMatcher } from '../../../src/model/report/log-query.ts';
import type { LogFilter } from '../../../src/model/report/log-query.ts';
import type { Activity } from '../../../src/model/report/status.ts';

const activity: Activity = {
  at: '2026-01-02T00:00:00.000Z',
  folder: 'inbox',
  path: 'Reports/Café.pdf',
  what: 'failed',
  docId: 'doc-77',
  message: 'it is too large',
  documents: 1,
};

it.each<[string, Partial<LogFilter>, Partial<Activity>, boolean]>([
  ['nothing is asked for', {}, {}, true],
  ['it is of the very moment', { since: activity.at }, {}, true],
  ['it is older', { since: '2026-01-02T00:00:00.001Z' }, {}, false],
  ['it is younger', { since: '2026-01-01T23:59:59.999Z' }, {}, true],
  ['it is of a clock that was ahead', { since: activity.at }, { at: '2126-01-01T00:00:00.000Z' }, false],
  ['it is of such a clock, and all is asked for', {}, { at: '2126-01-01T00:00:00.000Z' }, true],
  ['it went wrong', { failed: true }, {}, true],
  ['it went right', { failed: true }, { what: 'uploaded' }, false],
  ['it is a warning', { failed: true }, { what: 'warning' }, true],
  ['it is held', { failed: true }, { what: 'held' }, true],
  ['it is over', { failed: true }, { what: 'recovered' }, true],
  ['it is in doubt', { failed: true }, { what: 'in doubt' }, true],
  ['a word is in its path, in another case', { search: 'REPORTS' }, {}, true],
  ['an accent is written in two characters', { search: 'cafe\u0301' }, {}, true],
  ['words are in different places', { search: '  inbox   large doc-77 failed ' }, {}, true],
  ['one of the words is nowhere', { search: 'inbox small' }, {}, false],
  ['the search is of blanks', { search: '  ' }, {}, true],
  ['there is no message and no docId', { search: 'null' }, { message: null, docId: null }, false],
  ['it fits the words and not the time', { search: 'inbox', since: '2027' }, {}, false],
])('the log shows an entry where %s: %p', (_, filter, parts, expected) => {
  const matches = logMatcher({ since: null, failed: false, search: '', ...filter });
  expect(matches({ ...activity, ...parts })).toBe(expected);
});
