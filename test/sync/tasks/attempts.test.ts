import { expect, it } from '@jest/globals';

import { Attempts } from '../../../src/sync/tasks/attempts.ts';

const attempt = (at: number, code = 'http-503') => ({ at, operation: 'upload', code, message: code });

it('keeps the last ten attempts of a path from the first that was not accepted on', () => {
  const attempts = new Attempts();
  attempts.note('inbox/a', attempt(0, 'accepted'));
  expect(attempts.of('inbox/a')).toEqual([]);
  for (let at = 1; at <= 11; at += 1) attempts.note('inbox/a', attempt(at));
  attempts.note('inbox/a', attempt(12, 'accepted'));
  expect(attempts.of('inbox/a').map(({ at }) => at)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

it('forgets the path that was tried longest ago where there are too many', () => {
  const attempts = new Attempts();
  for (let path = 0; path < 1_000; path += 1) attempts.note(`inbox/${path}`, attempt(path));
  attempts.note('inbox/0', attempt(1_000));
  attempts.note('inbox/new', attempt(1_001));
  expect(['0', '1', '2', 'new'].map((path) => attempts.of(`inbox/${path}`).length)).toEqual([2, 0, 1, 1]);
});
