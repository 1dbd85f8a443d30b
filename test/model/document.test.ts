import { lstatSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import {
  directoryOf,
  hasGone,
  isSameFile,
  joinPath,
  knownInode,
  nameOf,
  refKey,
  sameFile,
  sameInode,
  sameDirectory,
  sameStat,
  unknownStat,
} from '../../src/model/document.ts';
import { packFiles, unpackFiles } from '../../src/model/packed-files.ts';
import { statOf } from '../../src/scan/rules/entry.ts';

describe('the path of a document', () => {
  it.each([
    ['a.txt', '', 'a.txt'],
    ['deep/er/a.txt', 'deep/er', 'a.txt'],
    ['/a.txt', '', 'a.txt'],
  ])('%s is in the directory "%s", by the name %s', (path, directory, name) => {
    expect([directoryOf(path), nameOf(path)]).toEqual([directory, name]);
  });

  it('is joined from both, and has no slash in front where it is in the root', () => {
    expect([joinPath('', 'a.txt'), joinPath('deep/er', 'a.txt')]).toEqual(['a.txt', 'deep/er/a.txt']);
    expect(refKey({ folder: 'inbox', path: 'deep/a.txt' })).toBe('inbox/deep/a.txt');
  });
});

describe('an unchanged file', () => {
  const known = { size: 1, mtimeMs: 2, ctimeMs: 3, ino: 4, birthtimeMs: 5, dev: 6 };

  it.each([
    ['size', false],
    ['mtimeMs', false],
    ['ctimeMs', false],
    ['ino', false],
    ['dev', true],
  ] as const)('may have another %s: %s', (field, expected) => {
    expect(sameStat(known, known)).toBe(true);
    expect(sameStat(known, { ...known, [field]: 9 })).toBe(expected);
  });
});

describe('what was found at a path', () => {
  const why = { code: 'x', message: 'x' };

  it.each([
    ['not inspected yet', undefined, false],
    ['absent', { kind: 'absent', device: 1 }, true],
    ['ignored, and standing there', { kind: 'ignored', ...why }, false],
    ['ignored, and gone', { kind: 'ignored', ...why, presence: 'gone' }, true],
    ['skipped', { kind: 'skipped', ...why }, false],
  ] as const)('%s has gone: %s', (_, found, expected) => {
    expect(hasGone(found)).toBe(expected);
  });
});

describe('the identity of a file', () => {
  const known = { ino: 7, birthtimeMs: 100, dev: 1 };

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

  it('A12: is not known by a number above 2^53, which stands for its neighbours too', () => {
    expect([2 ** 53 - 1, 2 ** 53, 2 ** 60].map(knownInode)).toEqual([2 ** 53 - 1, 0, 0]);
    const stats = Object.assign(lstatSync('.'), { ino: 2 ** 53 });
    expect(statOf(stats).ino).toBe(0);
    const entry = { name: 'a', stat: { ...unknownStat, ino: 2 ** 53 }, fingerprint: '' };
    expect(unpackFiles(packFiles([entry]))[0]?.stat.ino).toBe(0);
  });

  it.each([
    ['size', { size: 2 }],
    ['time', { mtimeMs: 2 }],
  ])('is told by its %s, too, where birth times are unknown: inode numbers are used again', (_, other) => {
    const stat = { ...unknownStat, ino: 7, dev: 1, size: 1, mtimeMs: 1 };
    expect([isSameFile(stat, { ...stat, ctimeMs: 9 }), isSameFile(stat, { ...stat, ...other })]).toEqual([
      true,
      false,
    ]);
    const born = { ...stat, birthtimeMs: 5 };
    expect(isSameFile(born, { ...born, ...other })).toBe(true);
  });

  it.each([
    ['the same', { dev: 1, ino: 2 }, true],
    ['another device', { dev: 3, ino: 2 }, false],
    ['another inode number', { dev: 1, ino: 3 }, false],
    ['the same birth time', { dev: 1, ino: 2, birthtimeMs: 5 }, true],
    ['another birth time', { dev: 1, ino: 2, birthtimeMs: 6 }, false],
    ['no birth time', { dev: 1, ino: 2, birthtimeMs: 0 }, true],
  ])('is told of a directory by device, inode number and birth time: %s', (_, root, expected) => {
    expect(sameDirectory({ dev: 1, ino: 2, birthtimeMs: 5 }, root)).toBe(expected);
    expect(sameDirectory(root, { dev: 1, ino: 2, birthtimeMs: 5 })).toBe(expected);
  });

  it.each([
    ['the same', { ino: 2, birthtimeMs: 5 }, true],
    ['another inode number', { ino: 3, birthtimeMs: 5 }, false],
    ['another birth time', { ino: 2, birthtimeMs: 6 }, false],
    ['no birth time', { ino: 2, birthtimeMs: 0 }, true],
  ])('may be one that was mounted again: %s', (_, other, expected) => {
    expect(sameInode({ ino: 2, birthtimeMs: 5 }, other)).toBe(expected);
    expect(sameInode(other, { ino: 2, birthtimeMs: 5 })).toBe(expected);
  });
});
