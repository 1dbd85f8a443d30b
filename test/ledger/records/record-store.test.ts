import { describe, expect, it } from '@jest/globals';

import { toStored } from '../../../src/ledger/format/change-format.ts';
import { LedgerData } from '../../../src/ledger/records/ledger-data.ts';
import type { Change, LedgerRecord } from '../../../src/model/ports/ledger-port.ts';
import { put, recordOf, statOf } from '../support/samples.ts';

function ledger() {
  const data = new LedgerData();
  const { reader } = data;
  const ref = (path: string) => ({ folder: 'inbox', path });
  return {
    apply: (...changes: readonly Change[]) => {
      for (const change of changes) data.apply(toStored(change, data.shared));
    },
    ref,
    withInode: (ino: number) =>
      reader
        .findByInode(ino)
        .map((entry) => entry.ref.path)
        .sort(),
    carriers: (path: string, ino: number) =>
      reader
        .findCarriers(ref(path), { ...statOf(0), ino })
        .map((entry) => entry.ref.path)
        .sort(),
  };
}

const drop = (path: string): Change => ({ kind: 'drop', ref: { folder: 'inbox', path } });

describe('records are found', () => {
  it('by the inode number of their file, all that have it, as they come and go', () => {
    const { apply, withInode } = ledger();
    const one = (number: number, ino: number): LedgerRecord =>
      recordOf(number, { stat: { ...statOf(0), ino } });
    apply(put('a', one(1, 5)), put('b', one(2, 5)), put('c', one(3, 5)), put('d', one(4, 6)));
    const seen = [withInode(5)];
    for (const change of [drop('b'), put('a', one(1, 7)), put('e', one(5, 5)), drop('c'), drop('e')]) {
      apply(change);
      seen.push(withInode(5));
    }
    expect(seen).toEqual([['a', 'b', 'c'], ['a', 'c'], ['c'], ['c', 'e'], ['e'], []]);
    expect([withInode(6), withInode(7), withInode(0)]).toEqual([['d'], ['a'], []]);
    apply(drop('d'), put('f', one(6, 6)));
    expect(withInode(6)).toEqual(['f']);
  });

  it('by what they carry, its path or the inode number of its file, as they come and go', () => {
    const { apply, carriers } = ledger();
    const one = (number: number, path: string, ino: number): LedgerRecord =>
      recordOf(number, { attachments: [{ name: 'x', path, sha256: '', stat: { ...statOf(0), ino } }] });
    apply(put('a', one(1, 'x.csv', 5)), put('b', one(2, 'y.csv', 5)), put('c', one(3, 'x.csv', 0)));
    expect([carriers('x.csv', 1), carriers('other', 5), carriers('y.csv', 0)]).toEqual([
      ['a', 'c'],
      ['a', 'b'],
      ['b'],
    ]);
    apply(put('a', recordOf(1)), drop('b'));
    expect([carriers('x.csv', 1), carriers('other', 5), carriers('y.csv', 0)]).toEqual([['c'], [], []]);
  });
});
