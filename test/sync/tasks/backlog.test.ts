import { describe, expect, it } from '@jest/globals';

import { Backlog } from '../../../src/sync/tasks/backlog.ts';
import { statOf } from '../../support/fixtures/model-fixtures.ts';

const file = (name: string, stat: Parameters<typeof statOf>[0] = {}, fingerprint = 'c') => ({
  name,
  stat: statOf(stat),
  fingerprint,
  hasRecord: false,
});
const recorded = (name: string, stat: Parameters<typeof statOf>[0] = {}) => ({
  ...file(name, stat),
  hasRecord: true,
});
const paths = (files: readonly { ref: { path: string } }[]) => files.map(({ ref }) => ref.path).sort();
const anyFolder = () => true;

describe('the backlog', () => {
  it('gives back each file as it was seen', () => {
    const backlog = new Backlog();
    const stat = statOf({ size: 3, mtimeMs: 5.25, ctimeMs: 6, birthtimeMs: 7, ino: 2 ** 40, dev: 9 });
    backlog.replace('inbox', 'a', [file('x.pdf'), file('y.pdf', stat, 'other')], 1);
    const ref = { folder: 'inbox', path: 'a/y.pdf' };
    expect(backlog.take(ref)).toEqual({ ref, seen: { stat, fingerprint: 'other' } });
    expect(backlog.take(ref)).toBeNull();
    expect([...backlog.inDirectory('inbox', 'a').keys()]).toEqual(['x.pdf']);
  });

  it('says which of a directory are not listed any more', () => {
    const backlog = new Backlog();
    backlog.replace('inbox', 'a', [file('x', { ino: 7 }), file('y')], 1);
    const listed = { folder: 'inbox', directory: 'a', entries: [file('y')] };
    expect(backlog.missingFrom(listed)).toEqual([
      { ref: { folder: 'inbox', path: 'a/x' }, seen: { stat: statOf({ ino: 7 }), fingerprint: 'c' } },
    ]);
    expect(backlog.missingFrom({ ...listed, directory: '' })).toEqual([]);
  });

  it('gives back the fingerprint that all files of a directory share', () => {
    const backlog = new Backlog();
    backlog.replace('inbox', 'a', [file('x'), file('y'), file('z'), recorded('1'), recorded('2')], 1);
    expect(backlog.take({ folder: 'inbox', path: 'a/y' })?.seen.fingerprint).toBe('c');
    const left = [...backlog.takeNewest(9, anyFolder), ...backlog.takeRecorded(9, anyFolder)];
    expect(left.map(({ seen }) => seen.fingerprint)).toEqual(['c', 'c', 'c', 'c']);
  });

  it('counts what waits, of a folder and in all', () => {
    const backlog = new Backlog();
    backlog.replace('inbox', '', [file('a'), file('b')], 1);
    backlog.replace('other', '', [file('c')], 1);
    backlog.replace('inbox', '', [file('b')], 2);
    expect([backlog.count('inbox'), backlog.count('other'), backlog.size]).toEqual([1, 1, 2]);
    backlog.replace('other', '', [], 2);
    expect([backlog.count('other'), backlog.size, backlog.oldest('other')]).toEqual([0, 1, null]);
  });

  it('knows a name from a part of another', () => {
    const backlog = new Backlog();
    backlog.replace('inbox', 'd', [file('report.pdf'), file('x')], 1);
    const has = (path: string) => backlog.has({ folder: 'inbox', path });
    expect([has('d/report.pdf'), has('d/port.pdf'), has('d/report'), has('x'), has('d/x')]).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
  });

  it('gives the newest first, of the folders that are asked for', () => {
    const backlog = new Backlog();
    for (const directory of ['a', 'b'])
      backlog.replace(
        'inbox',
        directory,
        [1, 2, 3].map((hour) => file(`${hour}`, { mtimeMs: hour + (directory === 'b' ? 0.5 : 0) })),
        1,
      );
    backlog.replace('other', '', [file('newest', { mtimeMs: 100 })], 1);
    const isInbox = (folder: string) => folder === 'inbox';
    expect(paths(backlog.takeNewest(3, isInbox))).toEqual(['a/3', 'b/2', 'b/3']);
    expect(paths(backlog.takeNewest(10, isInbox))).toEqual(['a/1', 'a/2', 'b/1']);
    expect(paths(backlog.takeNewest(10, anyFolder))).toEqual(['newest']);
    expect(backlog.size).toBe(0);
  });

  it('gives no more than asked where many are equally new', () => {
    const backlog = new Backlog();
    backlog.replace(
      'inbox',
      '',
      ['a', 'b', 'c', 'd', 'e'].map((name) => file(name)),
      1,
    );
    backlog.replace(
      'inbox',
      'z',
      ['a', 'b'].map((name) => file(name)),
      1,
    );
    expect(backlog.takeNewest(2, anyFolder)).toHaveLength(2);
    expect(backlog.size).toBe(5);
  });

  it('gives those of a size or an inode number', () => {
    const backlog = new Backlog();
    backlog.replace('inbox', 'a', [file('size', { size: 5, ino: 1 }), file('no', { size: 6, ino: 2 })], 1);
    backlog.replace(
      'inbox',
      'b',
      [file('ino', { size: 7, ino: 9 }), file('neither', { size: 8, ino: 3 })],
      1,
    );
    expect(paths(backlog.takeLike({ size: 5, ino: 9 }))).toEqual(['a/size', 'b/ino']);
    expect(backlog.takeLike({ size: 5, ino: 9 })).toEqual([]);
    expect(backlog.size).toBe(2);
  });

  it('keeps files with a record apart, and finds both by path', () => {
    const backlog = new Backlog();
    backlog.replace('inbox', 'a', [file('new', { size: 5 }), recorded('old', { size: 5 })], 1);
    const old = { folder: 'inbox', path: 'a/old' };
    expect([backlog.count('inbox'), backlog.countRecorded('inbox'), backlog.has(old)]).toEqual([2, 1, true]);
    expect([...backlog.inDirectory('inbox', 'a').keys()]).toEqual(['new', 'old']);
    expect(paths(backlog.takeLike({ size: 5, ino: 1 }))).toEqual(['a/new']);
    expect(backlog.take(old)?.ref).toEqual(old);
    expect([backlog.size, backlog.countRecorded('inbox')]).toEqual([0, 0]);
  });

  it('gives those with a record, so many as asked, and none of them as a new one', () => {
    const backlog = new Backlog();
    backlog.replace('inbox', 'a', [recorded('1'), recorded('2'), file('new')], 1);
    backlog.replace('inbox', 'b', [recorded('3')], 1);
    expect(paths(backlog.takeNewest(9, anyFolder))).toEqual(['a/new']);
    expect(backlog.takeRecorded(9, (folder) => folder === 'other')).toEqual([]);
    expect(paths(backlog.takeRecorded(2, anyFolder))).toEqual(['a/1', 'a/2']);
    expect(paths(backlog.takeRecorded(2, anyFolder))).toEqual(['b/3']);
    expect(backlog.size).toBe(0);
  });

  it('says since when the longest waiting one waits, through new listings', () => {
    const backlog = new Backlog();
    backlog.replace('inbox', 'a', [file('x')], 10);
    backlog.replace('inbox', 'b', [file('y')], 20);
    backlog.replace('inbox', 'a', [file('x'), file('z')], 30);
    expect(backlog.oldest('inbox')).toBe(10);
  });
});
