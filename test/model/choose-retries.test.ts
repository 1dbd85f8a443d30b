import { describe, expect, it } from '@jest/globals';

import { chooseRetries } from '../../src/model/choose-retries.ts';
import type { DocumentRef } from '../../src/model/document.ts';
import type { Doubt, Failure } from '../../src/model/ports/ledger-port.ts';
import { recordOf, statOf } from '../support/fixtures/model-fixtures.ts';

const ref = { folder: 'inbox', path: 'deep/a.pdf' };
const doubt: Doubt = { id: '1', ref, count: 1, since: 2_000, message: 'lost', holds: true };

const failure: Failure = {
  code: 'http-422',
  message: 'refused',
  attempts: 3,
  history: [],
  stat: statOf(),
  fingerprint: 'then',
};

describe('a retry', () => {
  const failed = { ref: { folder: 'inbox', path: 'failed.pdf' } };
  const doubted = { ref };
  const other = { folder: 'inbox', path: 'other.pdf' };
  const delivered = { folder: 'inbox', path: 'delivered.pdf' };
  const record = recordOf();
  const all = [failed, doubted];
  /** One of them was refused; the other waits for its next attempt, of which the ledger says nothing. */
  const ledger = {
    doubts: () => [doubt],
    failure: ({ path }: DocumentRef) => (path === failed.ref.path ? failure : undefined),
    failures: () => [[failed.ref, failure]] as const,
    get: ({ path }: DocumentRef) => (path === delivered.path ? record : undefined),
  };

  it('without a name is of all that failed, but not of what is in doubt', () => {
    expect(chooseRetries(null, all, ledger)).toEqual({
      delivered: [],
      changes: [{ kind: 'clear', ref: failed.ref }],
      retried: [failed.ref],
      unknown: [],
    });
  });

  it('without a name is of what a person has sent again, and the service refused', () => {
    const again = { ...ledger, doubts: () => [{ ...doubt, holds: false, again: true as const }] };
    expect(chooseRetries(null, all, again).retried).toEqual([failed.ref, ref]);
  });

  it('without a name leaves out what was dismissed; one that names it sends it', () => {
    const dismissed = {
      doubts: () => [{ ...doubt, holds: false, dismissed: true as const }],
      failure: () => ({ ...failure, code: 'doubt-dismissed' }),
      failures: () => [[ref, failure]] as const,
      get: () => undefined,
    };
    expect(chooseRetries(null, [doubted], dismissed)).toMatchObject({ changes: [], retried: [] });
    expect(chooseRetries([ref], [doubted], dismissed)).toMatchObject({
      changes: [{ kind: 'clear', ref }],
      retried: [ref],
      unknown: [],
    });
  });

  it('of a document in doubt frees it, and one of which nothing is known is named', () => {
    expect(chooseRetries([ref, other], all, ledger)).toEqual({
      delivered: [],
      changes: [{ kind: 'doubt', doubt: { ...doubt, holds: false, again: true } }],
      retried: [ref],
      unknown: [other],
    });
  });

  it('of a delivered document makes the next modify send all of it', () => {
    const { changes, ...rest } = chooseRetries([delivered], all, ledger);
    expect(rest).toEqual({ delivered: [delivered], retried: [delivered], unknown: [] });
    expect(changes).toEqual([
      {
        kind: 'put',
        ref: delivered,
        record: {
          ...record,
          fingerprint: '',
          unsure: { content: true, attachments: record.attachments.length > 0, metadata: [{}] },
        },
      },
    ]);
  });
});
