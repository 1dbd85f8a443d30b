import { expect, it } from '@jest/globals';

import { knownPath } from '../../../src/scan/folder-state.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';

const folder = folderOfEachTest();

/** Two forms of one name whose NFC form is a third. */
const [first, second] = ['a\u0323\u0302.pdf', 'a\u0302\u0323.pdf'];

it.each([
  ['a name in NFD alone', ['e\u0301.pdf'], 'e\u0301.pdf', '\u00e9.pdf'],
  ['a name that is not there', [], 'e\u0301.pdf', '\u00e9.pdf'],
  ['a twin', ['e\u0301.pdf', '\u00e9.pdf'], 'e\u0301.pdf', 'e\u0301.pdf'],
  ['the one that stands', ['e\u0301.pdf', '\u00e9.pdf'], '\u00e9.pdf', '\u00e9.pdf'],
  ['the first of two that are not NFC', [first, second], second, second.normalize('NFC')],
  ['the other one', [first, second], first, first],
  [
    'a twin, its directory in NFC',
    ['u\u0308/e\u0301.pdf', 'u\u0308/\u00e9.pdf'],
    '\u00fc/e\u0301.pdf',
    '\u00fc/e\u0301.pdf',
  ],
  [
    'a twin, its directory in NFD',
    ['u\u0308/e\u0301.pdf', 'u\u0308/\u00e9.pdf'],
    'u\u0308/e\u0301.pdf',
    '\u00fc/e\u0301.pdf',
  ],
])('%s is known by one path', async (_, there, path, known) => {
  for (const name of there) await folder.write(name, name);
  expect(knownPath(folder.path, path)).toBe(known);
});
