import { describe, expect, it } from '@jest/globals';

import type { FileStat } from '../../src/model/document.ts';
import { packFiles, unpackScan } from '../../src/model/packed-files.ts';

const statOf = (first: number): FileStat => ({
  size: first,
  mtimeMs: first + 1,
  ctimeMs: first + 2,
  birthtimeMs: first + 3,
  ino: first + 4,
  dev: first + 5,
});
const about = {
  directory: 'd',
  cause: 'event',
  skips: [],
  leftOut: '',
  subdirectories: ['e'],
  identity: { dev: 1, ino: 2, birthtimeMs: 3 },
} as const;

describe('a scan that crosses from thread to thread is what it was', () => {
  it.each([
    ['without entries', []],
    ['with one', [['a.pdf', 'f']]],
    [
      'with equal fingerprints',
      [
        ['a.pdf', 'f'],
        ['b.pdf', 'f'],
        ['c.pdf', 'f'],
      ],
    ],
    [
      'with different ones',
      [
        ['a.pdf', 'f'],
        ['b.pdf', ''],
        ['c.pdf', 'g'],
      ],
    ],
  ] as const)('%s', (_, named) => {
    const entries = named.map(([name, fingerprint], at) => ({
      name,
      fingerprint,
      stat: statOf(at * 10 + 1),
    }));
    expect(unpackScan('inbox', { ...about, files: packFiles(entries) })).toEqual({
      ...about,
      folder: 'inbox',
      entries,
    });
  });
});
