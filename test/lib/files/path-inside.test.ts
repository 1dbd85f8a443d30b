import { expect, it } from '@jest/globals';
import { pathInside } from '../../../src/lib/files/path-inside.ts';

it.each([
  ['a file in the directory', '/inbox/a.pdf', 'a.pdf'],
  ['a file further below', '/inbox/b/c/a.pdf', 'b/c/a.pdf'],
  ['the directory itself', '/inbox', ''],
  ['the directory, written with a slash', '/inbox/', ''],
  ['a way out and back', '/inbox/b/../a.pdf', 'a.pdf'],
  ['a name that begins with two dots', '/inbox/..a.pdf', '..a.pdf'],
  ['the directory above', '/', null],
  ['a directory beside it', '/outbox', null],
  ['a directory whose name begins the same', '/inbox-2/a.pdf', null],
  ['a way out', '/inbox/../a.pdf', null],
])('%s: %s is seen from /inbox as %s', (_, path, inside) => {
  expect(pathInside('/inbox', path)).toBe(inside);
});

it('everything lies in the root directory', () => {
  expect(pathInside('/', '/inbox/a.pdf')).toBe('inbox/a.pdf');
});
