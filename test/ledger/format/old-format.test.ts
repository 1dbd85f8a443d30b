import { describe, expect, it } from '@jest/globals';

import { createOldLineReader, readOldChange } from '../../../src/ledger/format/old-format.ts';
import { createSharedValues } from '../../../src/ledger/records/shared-values.ts';
import { toRecord } from '../../../src/ledger/records/stored-record.ts';
import type { StoredRecord } from '../../../src/ledger/records/stored-record.ts';
import type { DataFiller } from '../../../src/ledger/records/ledger-data.ts';

const sha256 = 'ab'.repeat(32);
const day = Date.UTC(2026, 0, 1);
/** Codes of a time in whole seconds, and of one in milliseconds. */
const seconds = 2 * day + 1;
const milliseconds = 2 * (day + 5);

/** docId, hash, six numbers of the stat, title, three times. */
const cells = ['doc', sha256, 1, 2, 3, 4, 5, 6, 1, seconds, milliseconds, 0] as const;
const withCells = (changes: Readonly<Record<number, unknown>>) =>
  cells.map((cell, index) => (index in changes ? changes[index] : cell));

const about = [
  [1, 7, 'fingerprint'],
  [2, 8, { documentOwner: 'jane' }],
  [3, 'inbox', 'd'],
] as const;

function read(...lines: readonly unknown[]) {
  const found: [folder: string, directory: string, record: StoredRecord][] = [];
  const filler: DataFiller = {
    shared: createSharedValues(),
    put: (...one) => found.push(one),
    change: () => {},
    rejected: [],
  };
  const take = createOldLineReader(filler);
  for (const line of lines) take(line);
  return found.map(([folder, directory, record]) => ({ folder, directory, ...toRecord(record) }));
}

describe('a line of an older snapshot', () => {
  it('is a record of the directory, the fingerprint and the metadata before it', () => {
    expect(read(...about, [0, 'a.pdf', 7, 8, ...cells])).toEqual([
      {
        folder: 'inbox',
        directory: 'd',
        docId: 'doc',
        sha256,
        stat: { size: 1, mtimeMs: 2, ctimeMs: 3, birthtimeMs: 4, ino: 5, dev: 6 },
        fingerprint: 'fingerprint',
        fileName: 'a.pdf',
        attachments: [],
        metadata: { title: 'a', documentOwner: 'jane', createdTimestamp: '2026-01-01T00:00:00Z' },
        uploadedAt: '2026-01-01T00:00:00.005Z',
        modifiedAt: null,
        possibleDuplicates: 0,
        companions: undefined,
      },
    ]);
  });

  it.each<readonly [string, readonly unknown[], object]>([
    [
      'no title',
      withCells({ 8: 0 }),
      { metadata: { documentOwner: 'jane', createdTimestamp: '2026-01-01T00:00:00Z' } },
    ],
    ['a title of its own', withCells({ 8: 'T' }), { metadata: { title: 'T' } }],
    [
      'times in the other form',
      withCells({ 9: milliseconds, 10: seconds, 11: seconds }),
      {
        metadata: { createdTimestamp: '2026-01-01T00:00:00.005Z' },
        uploadedAt: '2026-01-01T00:00:00Z',
        modifiedAt: '2026-01-01T00:00:00Z',
      },
    ],
    [
      'times among the extras',
      [
        ...withCells({ 9: 0, 10: 0 }),
        { createdTimestamp: 'then', uploadedAt: 'before', modifiedAt: 'after' },
      ],
      { metadata: { createdTimestamp: 'then' }, uploadedAt: 'before', modifiedAt: 'after' },
    ],
    ['no time of its upload', withCells({ 10: 0 }), { uploadedAt: '' }],
    ['extras', [...cells, { possibleDuplicates: 2, said: ['x'] }], { possibleDuplicates: 2, said: ['x'] }],
  ])('may have %s', (_, given, expected) => {
    const [record] = read(...about, [0, 'a.pdf', 7, 8, ...given]);
    expect(record).toMatchObject(expected);
    if (given[8] === 0) expect(record?.metadata).not.toHaveProperty('title');
  });

  const early = 'a record comes before something it refers to';
  it.each<readonly [string, readonly unknown[], string]>([
    ['a record without its directory', [about[0], about[1], [0, 'a.pdf', 7, 8, ...cells]], early],
    ['a record without its fingerprint', [about[1], about[2], [0, 'a.pdf', 7, 8, ...cells]], early],
    ['a record without its metadata', [about[0], about[2], [0, 'a.pdf', 7, 8, ...cells]], early],
    ['a line of another kind', [[4, 'x']], 'a line of an unknown kind'],
    ['a name that is none', [...about, [0, 1, 7, 8, ...cells]], 'name is not a text'],
    ['a cell too few', [...about, [0, 'a.pdf', 7, 8, ...cells.slice(1)]], 'a record has missing cells'],
    ['two cells too many', [...about, [0, 'a.pdf', 7, 8, ...cells, {}, {}]], 'a record has missing cells'],
    ['extras that are a list', [...about, [0, 'a.pdf', 7, 8, ...cells, []]], 'extras is not an object'],
    ['extras that are null', [...about, [0, 'a.pdf', 7, 8, ...cells, null]], 'extras is not an object'],
    [
      'attachments that are no list',
      [...about, [0, 'a.pdf', 7, 8, ...cells, { attachments: {} }]],
      'attachments is not a list',
    ],
    [
      'a title that is a number',
      [...about, [0, 'a.pdf', 7, 8, ...withCells({ 8: 2 })]],
      'title is not a text',
    ],
    ['a time before 1970', [...about, [0, 'a.pdf', 7, 8, ...withCells({ 9: -2 })]], 'a time is not a time'],
    ['a time after 9999', [...about, [0, 'a.pdf', 7, 8, ...withCells({ 9: 1e15 })]], 'a time is not a time'],
    ['a hash that is none', [...about, [0, 'a.pdf', 7, 8, ...withCells({ 1: 'x' })]], 'sha256 is not a hash'],
    ['an empty docId', [...about, [0, 'a.pdf', 7, 8, ...withCells({ 0: '' })]], 'docId is empty'],
    ['a fingerprint that is a number', [[1, 7, 8]], 'a fingerprint is not a text'],
    ['a change that is a text', ['put'], 'a change: '],
  ])('is damage: %s', (_, lines, message) => {
    expect(() => read(...lines)).toThrow(expect.objectContaining({ code: 'ledger-shape' }));
    expect(() => read(...lines)).toThrow(message);
  });
});

describe('a change of an older journal', () => {
  const change = (value: unknown) => readOldChange(value, createSharedValues());

  it('is a record that was put', () => {
    const found = change(['put', 'inbox', 'd/a.pdf', 'fingerprint', { documentOwner: 'jane' }, ...cells]);
    expect(found).toMatchObject({ kind: 'put', ref: { folder: 'inbox', path: 'd/a.pdf' } });
    expect(found.kind === 'put' ? toRecord(found.record) : found).toMatchObject({
      docId: 'doc',
      fingerprint: 'fingerprint',
      fileName: 'a.pdf',
      metadata: { title: 'a', documentOwner: 'jane' },
    });
  });

  it.each<readonly [unknown, string]>([
    [['drop', 'inbox', 'a.pdf'], 'a change of an unknown kind'],
    [[], 'a change of an unknown kind'],
    [['put', 'inbox', 1], 'path is not a text'],
    [['put', 'inbox', 'a.pdf', 'f', {}, 'doc'], 'a record has missing cells'],
    [{ kind: 'clear', ref: { folder: 'inbox' } }, 'a change at ref.path: '],
    [{ kind: 'none' }, 'a change at kind: '],
    [null, 'a change: '],
  ])('is damage: %j', (value, message) => {
    expect(() => change(value)).toThrow(message);
  });
});
