import { describe, expect, it } from '@jest/globals';

import { unknownStat } from '../../src/model/document.ts';
import type { Doubt, Failure } from '../../src/model/ports/ledger-port.ts';
import { adoptDocument, dismissDoubt, isDoubtful, sendAgain } from '../../src/model/doubts.ts';
import { recordOf, statOf } from '../support/fixtures/model-fixtures.ts';

const ref = { folder: 'inbox', path: 'deep/a.pdf' };
const file = { stat: statOf({ ino: 9 }), fingerprint: 'now' };

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
    ['with a doubt that was dismissed', { ...nothing, doubts: [doubtOf({ dismissed: true })] }, false],
    ['with possible duplicates', { ...nothing, record: recordOf({ possibleDuplicates: 1 }) }, true],
  ])('%s has something to resolve: %p', (_, path, expected) => {
    expect(isDoubtful(path)).toBe(expected);
  });
});

describe('sending again', () => {
  it('frees what is held, keeps it on record and clears the failure', () => {
    const doubts = [doubtOf(), doubtOf({ id: '2', holds: false })];
    expect(sendAgain({ ref, failure, doubts })).toEqual([
      { kind: 'doubt', doubt: doubtOf({ holds: false }) },
      { kind: 'clear', ref },
    ]);
  });

  it('changes nothing where nothing is held and nothing failed', () => {
    expect(sendAgain({ ref, failure: undefined, doubts: [doubtOf({ holds: false })] })).toEqual([]);
  });
});

describe('dismissing a doubt', () => {
  const doubts = [doubtOf(), doubtOf({ id: '2' })];
  const forgotten = [
    { kind: 'dismiss', id: '1' },
    { kind: 'dismiss', id: '2' },
  ];

  const dismissed = doubts.map((doubt) => ({
    kind: 'doubt',
    doubt: { ...doubt, holds: false, dismissed: true },
  }));

  it('forgets the possible duplicates of a delivered document', () => {
    const record = recordOf({ possibleDuplicates: 2 });
    expect(dismissDoubt({ ref, record, failure, doubts }, file)).toEqual([
      ...forgotten,
      { kind: 'put', ref, record: recordOf() },
    ]);
  });

  it('leaves a record alone that has none', () => {
    expect(dismissDoubt({ ref, record: recordOf(), failure, doubts }, file)).toEqual(forgotten);
  });

  it('clears the failure of a file that is gone', () => {
    expect(dismissDoubt({ ref, record: undefined, failure, doubts }, 'gone')).toEqual([
      ...forgotten,
      { kind: 'clear', ref },
    ]);
    expect(dismissDoubt({ ref, record: undefined, failure: undefined, doubts }, 'gone')).toEqual(forgotten);
  });

  it('keeps on record those of a file of which nothing is sent as it stands', () => {
    expect(dismissDoubt({ ref, record: undefined, failure, doubts }, 'unsent')).toEqual([
      ...dismissed,
      { kind: 'clear', ref },
    ]);
  });

  it.each([
    ['its failures so far', failure, 3, failure.history],
    ['one attempt, where none failed', undefined, 1, []],
  ])('keeps a file that was never delivered from being sent, with %s', (_, before, attempts, history) => {
    expect(dismissDoubt({ ref, record: undefined, failure: before, doubts }, file)).toEqual([
      ...dismissed,
      {
        kind: 'fail',
        ref,
        failure: {
          code: 'doubt-dismissed',
          message: expect.stringContaining('ingestd retry'),
          attempts,
          history,
          ...file,
        },
      },
    ]);
  });
});

describe('adopting a document', () => {
  const adopted = {
    docId: 'found',
    sha256: 'bb'.repeat(32),
    stat: statOf({ ino: 9 }),
    fingerprint: '',
    fileName: 'a.pdf',
    attachments: [],
    metadata: {},
    uploadedAt: '1970-01-01T00:00:02.000Z',
    modifiedAt: null,
    possibleDuplicates: 0,
  };
  const path = { ...nothing, failure, doubts: [doubtOf()] };

  it('takes the file for what was sent, where it is still the same', () => {
    const sent = { stat: adopted.stat, sha256: adopted.sha256 };
    const unsure = { content: false, attachments: true, metadata: [] };
    expect(adoptDocument(path, 'found', sent)).toEqual([
      { kind: 'put', ref, record: { ...adopted, unsure } },
      { kind: 'dismiss', id: '1' },
      { kind: 'clear', ref },
    ]);
  });

  it('has everything sent once more, where the file is another by now', () => {
    const unsure = { content: true, attachments: true, metadata: [] };
    expect(adoptDocument(path, 'found', null)[0]).toEqual({
      kind: 'put',
      ref,
      record: { ...adopted, sha256: '', stat: unknownStat, unsure },
    });
  });

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
