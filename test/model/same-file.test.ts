import { describe, expect, it } from '@jest/globals';

import { sameFile, sameRoot } from '../../src/model/same-file.ts';

const known = { ino: 7, birthtimeMs: 100, dev: 1 };

describe('the identity of a file', () => {
  it.each([
    ['the same', {}, true],
    ['the same after a reboot, when its device has another number', { dev: 2 }, true],
    ['another where its inode number is another', { ino: 8 }, false],
    ['another where its inode number was used again', { birthtimeMs: 101 }, false],
    ['the same where its birth time is unknown and the device agrees', { birthtimeMs: 0 }, true],
    [
      'another where its birth time is unknown and the device does not agree',
      { birthtimeMs: 0, dev: 2 },
      false,
    ],
  ] as const)('is %s', (_, other, expected) => {
    expect(sameFile(known, { ...known, ...other })).toBe(expected);
    expect(sameFile({ ...known, ...other }, known)).toBe(expected);
  });

  it('is told of no file where the file system has no inode numbers', () => {
    expect(sameFile({ ...known, ino: 0 }, { ...known, ino: 0 })).toBe(false);
  });

  it('is told of a root by device and inode number', () => {
    expect(sameRoot({ dev: 1, ino: 2 }, { dev: 1, ino: 2 })).toBe(true);
    expect(sameRoot({ dev: 1, ino: 2 }, { dev: 3, ino: 2 })).toBe(false);
  });
});
