import { describe, expect, it } from '@jest/globals';

import type { ComparedDocument } from '../../../src/model/operation.ts';
import { planDocument } from '../../../src/model/plan.ts';
import type { LedgerRecord, Unsure } from '../../../src/model/ports/ledger-port.ts';
import { markUnsure, modifiedChanges } from '../../../src/sync/send/modify.ts';
import type { Modifiable } from '../../../src/sync/send/modify.ts';
import { uploadedChanges } from '../../../src/sync/send/upload.ts';
import { comparedOf, recordOf, statOf } from '../../support/fixtures/model-fixtures.ts';

const now = Date.UTC(2026, 1, 3);
const held = { name: 'x.csv', path: 'a.pdf.attachments/x.csv', stat: statOf(), sha256: 'xx' };

function modifiable(compared: ComparedDocument, record: LedgerRecord): Modifiable {
  const operation = planDocument(compared, record);
  if (operation.kind !== 'modify') throw new Error(`planned: ${operation.kind}`);
  return { kind: 'send', operation, compared, record };
}

/** The record after these files went out and were accepted. */
function recordAfter(found: Modifiable, ...sent: readonly string[]): LedgerRecord {
  const contents = sent.map((sha256) => ({ sha256 }));
  const [put] = modifiedChanges(found, contents, now);
  if (put?.kind !== 'put') throw new Error('nothing is put down');
  return put.record;
}

const hashes = ({ attachments }: LedgerRecord) => attachments.map(({ name, sha256 }) => [name, sha256]);

describe('what the ledger learns of an accepted modify', () => {
  it('of attachments alone is each with what went out as its bytes', () => {
    const attachments = ['x', 'y'].map((name) => [`${name}.csv`, `${name}2`] as const);
    const before = recordOf({ sha256: 'aa', attachments: [held] });
    const record = recordAfter(modifiable(comparedOf({ attachments }), before), 'X', 'Y');
    expect([record.sha256, Object.fromEntries(hashes(record))]).toEqual([
      'aa',
      { 'x.csv': 'X', 'y.csv': 'Y' },
    ]);
  });

  it('of content and attachments is each with what went out as its bytes', () => {
    const compared = comparedOf({ sha256: 'bb', attachments: [['x.csv', 'x2']] });
    const record = recordAfter(modifiable(compared, recordOf({ attachments: [held] })), 'B', 'X');
    expect([record.sha256, hashes(record)]).toEqual(['B', [['x.csv', 'X']]]);
  });

  it('of content alone is the bytes that went out, their name, and the attachments as they are', () => {
    const compared = comparedOf({ sha256: 'bb', fileName: 'b.pdf', attachments: [['x.csv', null]] });
    const record = recordAfter(modifiable(compared, recordOf({ attachments: [held] })), 'B');
    expect(record).toMatchObject({ sha256: 'B', fileName: 'b.pdf', modifiedAt: '2026-02-03T00:00:00.000Z' });
    expect(hashes(record)).toEqual([['x.csv', 'xx']]);
  });

  it('of metadata alone leaves the name that went out last, and learns the bytes that were read', () => {
    const compared = comparedOf({ fileName: 'b.pdf', metadata: { title: 'B' }, sha256: 'aa' });
    const record = recordAfter(modifiable(compared, recordOf({ sha256: 'aa', metadata: { title: 'A' } })));
    expect(record).toMatchObject({ sha256: 'aa', fileName: 'a.pdf', metadata: { title: 'B' } });
  });

  it('is what was said once, and that nothing has failed', () => {
    const metadata = { title: 'A', docAuthors: [{ authorName: 'Jane' }] };
    const found = modifiable(comparedOf({ metadata: { title: 'B' } }), recordOf({ metadata, said: ['old'] }));
    expect(recordAfter(found).said).toEqual(['old', 'docAuthors:Jane']);
    expect(modifiedChanges(found, [], now).slice(1)).toEqual([
      { kind: 'clear', ref: found.compared.document.ref },
    ]);
  });
});

describe('what is written down before a modify goes out', () => {
  const titles = (...given: string[]) => given.map((title) => ({ title }));
  const found = (sha256: string | null, title: string, attachments: string | null) =>
    modifiable(
      comparedOf({ sha256, metadata: { title }, attachments: [['x.csv', attachments]] }),
      recordOf({ metadata: { title: 'A' }, attachments: [held] }),
    );

  const nothing = { content: false, attachments: false };
  const all = { content: true, attachments: true, metadata: titles('C', 'B'), gone: true } as const;

  it.each<readonly [string, Modifiable, Unsure | undefined, Unsure]>([
    ['its content', found('bb', 'A', null), undefined, { ...nothing, content: true, metadata: titles('A') }],
    ['its metadata', found(null, 'B', null), undefined, { ...nothing, metadata: titles('B') }],
    ['files', found(null, 'A', 'x2'), undefined, { ...nothing, attachments: true, metadata: titles('A') }],
    ['and what was unsure before', found(null, 'B', null), all, all],
  ])('is that it may differ: %s', (_, { operation, compared }, unsure, expected) => {
    const { ref } = compared.document;
    const record = recordOf({ fingerprint: 'f', ...(unsure === undefined ? {} : { unsure }) });
    const attachments = operation.attachments ? [expect.objectContaining({ sha256: 'x2' })] : [];
    const put = { kind: 'put', ref, record: { ...record, attachments, fingerprint: '', unsure: expected } };
    expect(markUnsure({ kind: 'send', operation, compared, record })).toEqual(put);
  });

  it('is what it is sent with, beside what it was sent with until now', () => {
    const before = [{ ...held, path: 'extra/x.csv' }];
    const modified = { ...found(null, 'A', 'x2'), record: recordOf({ attachments: before }) };
    const attachments = [{ sha256: 'x2' }, { path: 'extra/x.csv' }];
    expect(markUnsure(modified)).toMatchObject({ record: { attachments } });
    expect(recordAfter(modified, 'x2').attachments).toMatchObject([{ sha256: 'x2' }]);
  });
});

describe('the record of an accepted upload', () => {
  it('is what went out, and counts those that may have been taken before', () => {
    const compared = comparedOf({
      attachments: [
        ['x.csv', null],
        ['y.csv', null],
      ],
    });
    const doubt = { id: 'i', ref: compared.document.ref, since: 1, message: 'lost', holds: false };
    const [put, ...others] = uploadedChanges(
      compared.document,
      { kind: 'upload', metadata: {}, accepted: { title: 'A' } },
      { docId: 'doc-9', sent: ['A', 'X', 'Y'].map((sha256) => ({ sha256, size: 1 })), now },
      {
        get: () => undefined,
        doubts: () => [
          { ...doubt, count: 1 },
          { ...doubt, id: 'j', count: 2 },
          { ...doubt, id: 'k', count: 4, ref: { ...doubt.ref, path: 'other.pdf' } },
        ],
      },
    );
    if (put?.kind !== 'put') throw new Error('it is no put');
    const { record } = put;
    expect(others).toEqual([
      { kind: 'dismiss', id: 'i' },
      { kind: 'dismiss', id: 'j' },
      { kind: 'clear', ref: doubt.ref },
    ]);
    expect(record).toMatchObject({
      docId: 'doc-9',
      sha256: 'A',
      metadata: { title: 'A' },
      uploadedAt: '2026-02-03T00:00:00.000Z',
      modifiedAt: null,
      possibleDuplicates: 3,
    });
    expect(hashes(record)).toEqual([
      ['x.csv', 'X'],
      ['y.csv', 'Y'],
    ]);
  });
});
