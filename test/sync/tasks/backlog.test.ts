import { describe, expect, it } from '@jest/globals';

import { Backlog } from '../../../src/sync/tasks/backlog.ts';
import { statOf } from '../../support/fixtures/model-fixtures.ts';

const file = (name: string, stat: Parameters<typeof statOf>[0] = {}, fingerprint = 'c') => ({
  name,
  stat: statOf(stat),
  fingerprint,
  hasRecord: false,
});
const paths = (files: readonly { ref: { path: string } }[]) => files.map(({ ref }) => ref.path).sort();
const anyFolder = () => true;

describe('the backlog', () => {
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

  it('says since when the longest waiting one waits, through new listings', () => {
    const backlog = new Backlog();
    backlog.replace('inbox', 'a', [file('x')], 10);
    backlog.replace('inbox', 'b', [file('y')], 20);
    backlog.replace('inbox', 'a', [file('x'), file('z')], 30);
    expect(backlog.oldest('inbox')).toBe(10);
  });
});
