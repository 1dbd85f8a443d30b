import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { candidates, matchMove } from '../../src/model/match-moves.ts';
import type { Newcomer } from '../../src/model/match-moves.ts';
import type { FileStat } from '../../src/model/document.ts';
import type { LedgerEntry } from '../../src/model/ports/ledger-port.ts';
import { recordOf, statOf } from '../support/fixtures/model-fixtures.ts';

function missingOf(
  path: string,
  sha256: string,
  stat: Partial<FileStat> = {},
  folder = 'inbox',
): LedgerEntry {
  return { ref: { folder, path }, record: recordOf({ docId: path, sha256, stat: statOf(stat) }) };
}

function newcomer(sha256: string | null, stat: Partial<FileStat> = {}, path = 'new.pdf'): Newcomer {
  return { ref: { folder: 'inbox', path }, sha256, stat: statOf(stat) };
}

const cases: readonly {
  readonly name: string;
  readonly found: Newcomer;
  readonly missing: readonly LedgerEntry[];
  readonly move: readonly [string, string] | null;
}[] = [
  { name: 'knows nothing where nothing is missing', found: newcomer('aa'), missing: [], move: null },
  {
    name: 'knows a renamed file',
    found: newcomer('aa'),
    missing: [missingOf('a', 'aa')],
    move: ['a', 'inode'],
  },
  {
    name: 'knows a file that came from another folder on the same device',
    found: newcomer('aa'),
    missing: [missingOf('a', 'aa', {}, 'other')],
    move: ['a', 'inode'],
  },
  {
    name: 'knows a file by its content after a copy and a removal',
    found: newcomer('aa', { ino: 8, dev: 2, birthtimeMs: 900 }),
    missing: [missingOf('b', 'bb', { ino: 9 }), missingOf('a', 'aa')],
    move: ['a', 'content'],
  },
  {
    name: 'does not guess between two missing ones of equal content',
    found: newcomer('aa', { ino: 8 }),
    missing: [missingOf('a', 'aa', { ino: 1 }), missingOf('b', 'aa', { ino: 2 })],
    move: null,
  },
  {
    name: 'tells twins apart by inode',
    found: newcomer('aa', { ino: 2 }),
    missing: [missingOf('a', 'aa', { ino: 1 }), missingOf('b', 'aa', { ino: 2 })],
    move: ['b', 'inode'],
  },
  {
    name: 'tells twins apart by inode and birth time when the device has another number after a reboot',
    found: newcomer('aa', { ino: 2, dev: 5 }),
    missing: [missingOf('a', 'aa', { ino: 1 }), missingOf('b', 'aa', { ino: 2 })],
    move: ['b', 'inode'],
  },
  {
    name: 'does not tell twins apart by an inode number on another device alone',
    found: newcomer('aa', { ino: 2, dev: 5, birthtimeMs: 0 }),
    missing: [missingOf('a', 'aa', { ino: 1 }), missingOf('b', 'aa', { ino: 2 })],
    move: null,
  },
  {
    name: 'takes the hard link that has the same name',
    found: newcomer('aa', {}, 'x/b.pdf'),
    missing: [missingOf('a.pdf', 'aa'), missingOf('b.pdf', 'aa')],
    move: ['b.pdf', 'inode'],
  },
  {
    name: 'takes the hard link of the same directory when names differ',
    found: newcomer('aa', {}, 'x/c.pdf'),
    missing: [missingOf('a.pdf', 'aa'), missingOf('x/b.pdf', 'aa')],
    move: ['x/b.pdf', 'inode'],
  },
  {
    name: 'takes the same name before the same directory',
    found: newcomer('aa', {}, 'x/b.pdf'),
    missing: [missingOf('x/a.pdf', 'aa'), missingOf('y/b.pdf', 'aa')],
    move: ['y/b.pdf', 'inode'],
  },
  {
    name: 'takes the first by name of hard links that are equally near',
    found: newcomer('aa', {}, 'x/c.pdf'),
    missing: [missingOf('b.pdf', 'aa'), missingOf('a.pdf', 'aa')],
    move: ['a.pdf', 'inode'],
  },
  {
    name: 'knows a file that was moved and edited at once by its birth time',
    found: newcomer('bb', { size: 99, mtimeMs: 2_000, ctimeMs: 2_000 }),
    missing: [missingOf('a', 'aa')],
    move: ['a', 'edited'],
  },
  {
    name: 'knows it before it was read',
    found: newcomer(null, { size: 99 }),
    missing: [missingOf('a', 'aa')],
    move: ['a', 'edited'],
  },
  {
    name: 'does not take an inode that was used again for the same file (F13)',
    found: newcomer('bb', { birthtimeMs: 900 }),
    missing: [missingOf('a', 'aa')],
    move: null,
  },
  {
    name: 'takes device and inode alone where the new file has no birth time',
    found: newcomer('bb', { birthtimeMs: 0 }),
    missing: [missingOf('a', 'aa')],
    move: ['a', 'edited'],
  },
  {
    name: 'takes device and inode alone where the record has no birth time',
    found: newcomer('bb'),
    missing: [missingOf('a', 'aa', { birthtimeMs: 0 })],
    move: ['a', 'edited'],
  },
  {
    name: 'does not take another device for the same file without birth times',
    found: newcomer('bb', { birthtimeMs: 0, dev: 2 }),
    missing: [missingOf('a', 'aa', { birthtimeMs: 0 })],
    move: null,
  },
  {
    name: 'takes no file for another where the file system has no inode numbers',
    found: newcomer('bb', { ino: 0 }),
    missing: [missingOf('a', 'aa', { ino: 0 })],
    move: null,
  },
  {
    name: 'still goes by content where the file system has no inode numbers',
    found: newcomer('aa', { ino: 0 }),
    missing: [missingOf('a', 'aa', { ino: 0 })],
    move: ['a', 'content'],
  },
  {
    name: 'takes the file itself before a twin of its new content',
    found: newcomer('bb'),
    missing: [missingOf('b', 'bb', { ino: 9 }), missingOf('a', 'aa')],
    move: ['a', 'edited'],
  },
  {
    name: 'takes equal content before an inode that no birth time proves',
    found: newcomer('bb', { birthtimeMs: 0 }),
    missing: [missingOf('b', 'bb', { ino: 9 }), missingOf('a', 'aa')],
    move: ['b', 'content'],
  },
  {
    name: 'takes equal content before an inode that was used again',
    found: newcomer('bb', { birthtimeMs: 900 }),
    missing: [missingOf('b', 'bb', { ino: 9 }), missingOf('a', 'aa')],
    move: ['b', 'content'],
  },
  {
    name: 'takes nothing for an imported document whose bytes are not known',
    found: newcomer('aa', { ino: 8 }),
    missing: [missingOf('a', '', { ino: 0 })],
    move: null,
  },
  {
    name: 'takes nothing for equal bytes that were not read',
    found: newcomer(null, { ino: 8 }),
    missing: [missingOf('a', '', { ino: 0 })],
    move: null,
  },
];

describe('moves', () => {
  it.each(cases)('$name', ({ found, missing, move }) => {
    const result = matchMove({ found, missing });
    expect(result && [result.match.ref.path, result.proof]).toEqual(move);
  });

  const fileStats = fc.record({
    size: fc.constant(10),
    mtimeMs: fc.constant(1),
    ctimeMs: fc.constant(1),
    birthtimeMs: fc.constantFrom(0, 1, 2),
    ino: fc.constantFrom(0, 1, 2),
    dev: fc.constantFrom(1, 2),
  });
  const hashes = fc.constantFrom('aa', 'bb');
  const missingRecords = fc
    .array(fc.tuple(hashes, fileStats), { maxLength: 5 })
    .map((all) => all.map(([sha256, stat], index) => missingOf(`${index}.pdf`, sha256, stat)));

  it('does not depend on the order of what is missing', () => {
    fc.assert(
      fc.property(missingRecords, hashes, fileStats, (missing, sha256, stat) => {
        const found = newcomer(sha256, stat);
        const answer = matchMove({ found, missing });
        expect(matchMove({ found, missing: missing.toReversed() })).toEqual(answer);
      }),
    );
  });

  it('says what it has proof of', () => {
    fc.assert(
      fc.property(missingRecords, hashes, fileStats, (missing, sha256, stat) => {
        const move = matchMove({ found: newcomer(sha256, stat), missing });
        if (move === null) return;
        const { record } = move.match;
        expect(record.sha256 === sha256).toBe(move.proof !== 'edited');
        if (move.proof !== 'content') expect(record.stat.ino).toBe(stat.ino);
        const twins = missing.filter((one) => one.record.sha256 === sha256);
        if (move.proof === 'content') expect(twins).toHaveLength(1);
      }),
    );
  });

  it('finds nothing beyond the candidates', () => {
    fc.assert(
      fc.property(missingRecords, hashes, fileStats, (missing, sha256, stat) => {
        const found = newcomer(sha256, stat);
        const worthReading = candidates(found.stat, missing);
        expect(matchMove({ found, missing: worthReading })).toEqual(matchMove({ found, missing }));
      }),
    );
  });
});

describe('candidates', () => {
  it('are those of the same size or of the same file', () => {
    const sameSize = missingOf('size', 'aa', { ino: 9 });
    const sameInode = missingOf('inode', 'aa', { size: 99 });
    const neither = missingOf('neither', 'aa', { size: 99, ino: 9 });
    expect(candidates(statOf(), [sameSize, sameInode, neither])).toEqual([sameSize, sameInode]);
  });
});
