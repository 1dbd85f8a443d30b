import { describe, expect, it } from '@jest/globals';

import type { LedgerRecord } from '../../../src/model/ports/ledger-port.ts';
import type { Outcome } from '../../../src/model/ports/service-port.ts';
import { aboutDelete, deletedChanges } from '../../../src/sync/send/delete.ts';
import { recordsAsBefore } from '../../../src/sync/send/planned.ts';
import type { Deletable } from '../../../src/sync/send/delete.ts';
import { newFacts } from '../../../src/sync/tasks/task.ts';
import type { Task } from '../../../src/sync/tasks/task.ts';
import { recordOf } from '../../support/fixtures/model-fixtures.ts';

const gone = { content: false, attachments: false, metadata: [], gone: true } as const;

function deletable(path: string, parts: Partial<LedgerRecord> = {}): Deletable {
  const first = { present: false, hasRecord: true, priority: 'live', at: 1, seen: null } as const;
  const ref = { folder: 'inbox', path };
  const task: Task = { key: `inbox/${path}`, ref, since: 1, ...newFacts(first) };
  return { task, record: recordOf({ docId: `doc ${path}`, ...parts }) };
}

/** A ledger in which these deletions are under way. */
function ledgerOf(batch: readonly Deletable[], approved: readonly string[] = []) {
  const changes = batch.flatMap((one) => aboutDelete([one]).before ?? []);
  const records = new Map(changes.flatMap((one) => (one.kind === 'put' ? [[one.ref.path, one.record]] : [])));
  return {
    get: ({ path }: { path: string }) => records.get(path),
    isApproved: ({ path }: { path: string }) => approved.includes(path),
  };
}

describe('a deletion', () => {
  it('is one request by its path, and of several a bulk call', () => {
    const [one, two] = [deletable('a.pdf'), deletable('b.pdf')];
    expect(aboutDelete([one])).toMatchObject({ path: 'a.pdf', operation: 'delete', documents: 1 });
    expect(aboutDelete([one, two])).toMatchObject({ path: '', operation: 'bulk_delete', documents: 2 });
  });

  it('is in the record before it goes out, with what was unsure already', () => {
    const unsure = { content: true, attachments: true, metadata: [{ title: 'A' }] };
    const [plain, doubtful] = [deletable('a.pdf', { fingerprint: 'f' }), deletable('b.pdf', { unsure })];
    expect(aboutDelete([plain, doubtful]).before).toEqual([
      { kind: 'put', ref: plain.task.ref, record: { ...plain.record, fingerprint: '', unsure: gone } },
      {
        kind: 'put',
        ref: doubtful.task.ref,
        record: { ...doubtful.record, unsure: { ...unsure, gone: true } },
      },
    ]);
  });

  it('that was accepted leaves nothing but the trace of duplicates, and counts where no person allowed it', () => {
    const batch = [deletable('a.pdf'), deletable('b.pdf', { possibleDuplicates: 2 })];
    expect(deletedChanges(batch, ledgerOf(batch, ['a.pdf']), { now: () => 77 }, 9)).toEqual([
      { kind: 'drop', ref: { folder: 'inbox', path: 'a.pdf' } },
      { kind: 'clear', ref: { folder: 'inbox', path: 'a.pdf' } },
      { kind: 'drop', ref: { folder: 'inbox', path: 'b.pdf' } },
      { kind: 'clear', ref: { folder: 'inbox', path: 'b.pdf' } },
      {
        kind: 'doubt',
        doubt: expect.objectContaining({
          ref: { folder: 'inbox', path: 'b.pdf' },
          count: 2,
          since: 77,
          holds: false,
          message: expect.stringContaining('was deleted'),
        }),
      },
      { kind: 'unapprove', folder: 'inbox', paths: ['a.pdf', 'b.pdf'] },
      { kind: 'removed', folder: 'inbox', removal: { at: 77, count: 1, documents: 9 } },
    ]);
  });

  it.each<readonly [string, Outcome, boolean]>([
    ['was accepted', { kind: 'accepted', docId: null, warning: null }, false],
    ['was refused', { kind: 'rejected', code: 'http-422', message: 'no' }, true],
    ['never went out', unavailable('nothing'), true],
    ['went out in part', unavailable('part'), false],
    ['got no answer', unavailable('all'), false],
    ['was of a document that is unknown there', missing(), true],
    ['was turned away by a redirect', redirected(false), true],
    ['led to another page when it had gone out', redirected(true), false],
  ])('that %s', (_, outcome, isTakenBack) => {
    const batch = [deletable('a.pdf'), deletable('b.pdf', { unsure: gone })];
    const [fresh] = batch;
    const taken = recordsAsBefore(batch, outcome, ledgerOf(batch));
    // What was unsure before stays so.
    expect(taken).toEqual(isTakenBack ? [{ kind: 'put', ref: fresh?.task.ref, record: fresh?.record }] : []);
  });
});

function unavailable(sent: 'nothing' | 'part' | 'all'): Outcome {
  return { kind: 'unavailable', code: 'no-answer', message: 'lost', retryAfterMs: null, sent };
}

function redirected(mayBeTaken: boolean): Outcome {
  return { kind: 'misaddressed', code: 'redirect', message: 'elsewhere', mayBeTaken };
}

function missing(): Outcome {
  return { kind: 'missing', message: 'unknown' };
}
