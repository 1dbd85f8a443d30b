import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { candidates, matchMove } from '../../src/model/match-moves.ts';
import type { MissingEntry, Newcomer } from '../../src/model/match-moves.ts';
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

const cases: readonly (readonly [
  string,
  Newcomer,
  readonly MissingEntry[],
  readonly [string, string] | null,
])[] = [
  ['knows nothing where nothing is missing', newcomer('aa'), [], null],
  ['knows a renamed file', newcomer('aa'), [missingOf('a', 'aa')], ['a', 'inode']],
  [
    'takes the hard link of the same directory when names differ',
    newcomer('aa', {}, 'x/c.pdf'),
    [missingOf('a.pdf', 'aa'), missingOf('x/b.pdf', 'aa')],
    ['x/b.pdf', 'inode'],
  ],
  [
    'takes the same name before the same directory',
    newcomer('aa', {}, 'x/b.pdf'),
    [missingOf('x/a.pdf', 'aa'), missingOf('y/b.pdf', 'aa')],
    ['y/b.pdf', 'inode'],
  ],
  ['knows it before it was read', newcomer(null, { size: 99 }), [missingOf('a', 'aa')], ['a', 'edited']],
  [
    'does not take an inode that was used again for the same file (F13)',
    newcomer('bb', { birthtimeMs: 900 }),
    [missingOf('a', 'aa')],
    null,
  ],
  [
    'does not take device and inode alone, where the new file has no birth time, for the same file (7.19)',
    newcomer('bb', { birthtimeMs: 0, mtimeMs: 2_000 }),
    [missingOf('a', 'aa')],
    null,
  ],
  [
    'takes it as it was seen there last, edited, where the new file has no birth time',
    newcomer('bb', { birthtimeMs: 0 }),
    [{ ...missingOf('a', 'aa', { mtimeMs: 9 }), seen: statOf() }],
    ['a', 'edited'],
  ],
];

describe('moves', () => {
  it.each(cases)('%s', (_, found, missing, move) => {
    const result = matchMove(found, missing);
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
        const answer = matchMove(found, missing);
        expect(matchMove(found, missing.toReversed())).toEqual(answer);
      }),
    );
  });

  it('says what it has proof of', () => {
    fc.assert(
      fc.property(missingRecords, hashes, fileStats, (missing, sha256, stat) => {
        const move = matchMove(newcomer(sha256, stat), missing);
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
        expect(matchMove(found, worthReading)).toEqual(matchMove(found, missing));
      }),
    );
  });
});

describe('candidates', () => {});
