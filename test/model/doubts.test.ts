import { describe, expect, it } from '@jest/globals';

import type { Doubt, Failure } from '../../src/model/ports/ledger-port.ts';
import { adoptDocument, isDoubtful } from '../../src/model/doubts.ts';
import { recordOf, statOf } from '../support/fixtures/model-fixtures.ts';

const ref = { folder: 'inbox', path: 'deep/a.pdf' };

function doubtOf(parts: Partial<Doubt> = {}): Doubt {
  return { id: '1', ref, count: 1, since: 2_000, message: 'lost', holds: true, ...parts };
}

const failure: Failure = {
  code: 'in-doubt',
  message: 'held back',
  attempts: 3,
  history: [{ at: 1, operation: 'upload', code: 'in-doubt', message: 'lost' }],
  stat: statOf(),
  fingerprint: 'then',
};

const nothing = { ref, record: undefined, failure: undefined, doubts: [] };

describe('a path', () => {
  it.each([
    ['with nothing known', nothing, false],
    ['with a record alone', { ...nothing, record: recordOf() }, false],
    ['with an upload in doubt', { ...nothing, doubts: [doubtOf()] }, true],
    ['with one that a person has sent again', { ...nothing, doubts: [doubtOf({ count: 0 })] }, true],
    ['with a doubt that was dismissed', { ...nothing, doubts: [doubtOf({ dismissed: true })] }, false],
    ['with possible duplicates', { ...nothing, record: recordOf({ possibleDuplicates: 1 }) }, true],
  ])('%s has something to resolve: %p', (_, path, expected) => {
    expect(isDoubtful(path)).toBe(expected);
  });
});

describe('adopting a document', () => {
  const path = { ...nothing, failure, doubts: [doubtOf()] };

  it('remembers what the upload carried, or may have carried', () => {
    const carried = { metadata: { shareInfo: { mode: 'NONE' as const } }, attachments: false };
    const unsureOf = (...doubts: Doubt[]) => {
      const [put] = adoptDocument({ ...path, doubts }, 'found', null);
      return put?.kind === 'put' ? put.record.unsure : undefined;
    };
    const both = { content: true, metadata: [carried.metadata] };
    expect(unsureOf(doubtOf({ carried }))).toEqual({ ...both, attachments: false });
    expect(unsureOf(doubtOf({ carried: { ...carried, attachments: true } }))).toEqual({
      ...both,
      attachments: true,
    });
    expect(unsureOf(doubtOf({ carried }), doubtOf({ id: '2' }))).toEqual({ ...both, attachments: true });
  });

  it('counts the other copies as possible duplicates, since the first of them', () => {
    const doubts = [doubtOf({ count: 2, since: 5_000 }), doubtOf({ id: '2', since: 1_000 })];
    expect(adoptDocument({ ...path, doubts }, 'found', null)).toMatchObject([
      { record: { possibleDuplicates: 2, uploadedAt: '1970-01-01T00:00:01.000Z' } },
      { kind: 'dismiss', id: '1' },
      { kind: 'dismiss', id: '2' },
      { kind: 'clear' },
    ]);
  });

  it('counts none where the doubts stand for no document', () => {
    const changes = adoptDocument({ ...path, doubts: [doubtOf({ count: 0 })] }, 'found', null);
    expect(changes[0]).toMatchObject({ record: { possibleDuplicates: 0 } });
  });
});
