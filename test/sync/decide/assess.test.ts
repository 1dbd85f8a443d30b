import { describe, expect, it } from '@jest/globals';

import { ContentUnreadableError } from '../../../src/model/errors.ts';
import type { FileStat, Inspection } from '../../../src/model/document.ts';
import { planDocument } from '../../../src/model/plan.ts';
import type { LedgerRecord } from '../../../src/model/ports/ledger-port.ts';
import {
  adoptionOf,
  assessWithoutDocument,
  compareWithRecord,
  refusedAsItStands,
} from '../../../src/sync/decide/assess.ts';
import { comparedOf, recordOf, statOf } from '../../support/fixtures/model-fixtures.ts';

const reason = { code: 'any', message: 'some words' };

describe('a path where no document stands', () => {
  const assess = (
    found: Exclude<Inspection, { kind: 'document' }>,
    given: Partial<Parameters<typeof assessWithoutDocument>[1]> = {},
  ) =>
    assessWithoutDocument(found, {
      record: recordOf(),
      isKept: false,
      onRemove: 'delete',
      ...given,
    });
  const absent = { kind: 'absent', device: 3 } as const;

  it.each<readonly [string, object, object]>([
    ['settles', assess({ kind: 'settling', againMs: 9 }), { kind: 'settling', againMs: 9 }],
    [
      'waits',
      assess({ kind: 'waiting', againMs: null, ...reason }),
      { kind: 'waiting', againMs: null, reason },
    ],
    ['cannot be read', assess({ kind: 'unknown', ...reason }), { kind: 'unknown', reason }],
    ['breaks a rule', assess({ kind: 'unfit', ...reason }), { kind: 'unfit', reason }],
    ['is ignored by now', assess({ kind: 'ignored', ...reason }), { kind: 'dormant', device: null, reason }],
    ['is skipped by now', assess({ kind: 'skipped', ...reason }), { kind: 'dormant', device: null, reason }],
    [
      'was ignored always',
      assess({ kind: 'ignored', ...reason }, { record: undefined }),
      { kind: 'nothing', device: null },
    ],
    ['is gone', assess(absent), { kind: 'gone', device: 3 }],
    ['was never sent and is gone', assess(absent, { record: undefined }), { kind: 'nothing', device: 3 }],
    [
      'is gone, and its document kept',
      assess(absent, { onRemove: 'keep' }),
      {
        kind: 'dormant',
        device: 3,
        reason: { code: 'kept', message: 'the file was removed, and onRemove is set to keep' },
      },
    ],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});

describe('what is read of a document to compare it', () => {
  const held = { name: 'x.csv', stat: statOf({ ino: 8 }), sha256: 'xx' };
  const document = (parts: Partial<FileStat> = {}, attachment: Partial<FileStat> = {}) => {
    const { document: found } = comparedOf({ attachments: [['x.csv', null]] });
    return {
      ...found,
      stat: statOf(parts),
      attachments: found.attachments.map((one) => ({ ...one, stat: statOf({ ino: 8, ...attachment }) })),
    };
  };
  const hash = (path: string) => Promise.resolve(`hash of ${path}`);
  const record = recordOf({ attachments: [held] });

  it.each<readonly [string, ReturnType<typeof document>, LedgerRecord, Record<string, unknown>]>([
    ['nothing where all is as recorded', document(), record, { sha256: null, attachmentHashes: [null] }],
    ['the file', document({ size: 11 }), record, { sha256: 'hash of a.pdf', attachmentHashes: [null] }],
    [
      'an attachment that is not recorded',
      document(),
      recordOf(),
      { sha256: null, attachmentHashes: ['hash of a.pdf.attachments/x.csv'] },
    ],
  ])('is %s', async (_, found, known, expected) => {
    expect(await compareWithRecord(found, known, hash)).toMatchObject(expected);
  });

  it.each<readonly [string, ReturnType<typeof document>]>([
    ['the file', document({ size: 11 })],
    ['the attachment', document({}, { size: 11 })],
  ])('has to be compared again where %s is another by now', async (_, found) => {
    expect(await compareWithRecord(found, record, () => Promise.resolve(null))).toBeNull();
  });

  it.each<readonly [string, ReturnType<typeof document>, string]>([
    ['the file', document({ size: 11 }), 'the file cannot be read (permission denied, EACCES)'],
  ])('is refused where %s cannot be read, in words that say why', async (_, found, message) => {
    const fails = new ContentUnreadableError('the file', { code: 'EACCES' });
    const compared = await compareWithRecord(found, record, () => Promise.reject(fails));
    expect(compared).toEqual({ code: 'unreadable', message });
  });
});

describe('what a record learns where nothing is to be sent', () => {
  const learned = (compared: ReturnType<typeof comparedOf>, record: LedgerRecord) => {
    const operation = planDocument(compared, record);
    if (operation.kind !== 'none') throw new Error(`planned: ${operation.kind}`);
    return adoptionOf(compared, record, operation);
  };
  const unsure = { content: false, attachments: false, metadata: [] };

  it('is nothing where it says so already', () => {
    expect(learned(comparedOf(), recordOf())).toBeNull();
  });

  it.each<readonly [string, ReturnType<typeof comparedOf>, LedgerRecord, Partial<LedgerRecord>]>([
    ['another fingerprint', comparedOf(), recordOf({ fingerprint: 'g' }), { fingerprint: '' }],
    [
      'the bytes of an imported document',
      comparedOf({ sha256: 'bb' }),
      recordOf({ sha256: '' }),
      { sha256: 'bb' },
    ],
    [
      'that nothing is unsure, and that nobody knows where its mode was stated',
      comparedOf(),
      recordOf({ unsure }),
      {
        unsure: undefined,
        heldModes: [{ folder: 'inbox', path: 'a.pdf', mode: 'DEFAULT', by: 'a.pdf.meta.json' }],
      },
    ],
    [
      'the bytes of an attachment that was touched',
      comparedOf({ attachments: [['x.csv', 'xx']] }),
      recordOf({ attachments: [{ name: 'x.csv', stat: statOf({ mtimeMs: 9 }), sha256: 'xx' }] }),
      { attachments: [{ name: 'x.csv', path: 'a.pdf.attachments/x.csv', stat: statOf(), sha256: 'xx' }] },
    ],
  ])('is %s', (_, compared, record, expected) => {
    expect(learned(compared, record)).toEqual({
      kind: 'put',
      ref: compared.document.ref,
      record: { ...record, ...expected },
    });
  });

  it('is what was said of what cannot be taken back', () => {
    const metadata = { docAuthors: [{ authorName: 'Jane' }] };
    const change = learned(comparedOf(), recordOf({ metadata, said: ['old'] }));
    expect(change).toMatchObject({ record: { said: ['old', 'docAuthors:Jane'] } });
  });
});

describe('a refusal', () => {
  const { document } = comparedOf();
  const attempt = { at: 1, operation: 'upload', code: 'http-422', message: 'no' };
  const failure = { ...reason, attempts: 1, history: [attempt], stat: statOf(), fingerprint: '' };

  it.each<readonly [string, Partial<typeof failure>, boolean]>([
    ['stands while nothing has changed', {}, true],
    ['ends when the file changes', { stat: statOf({ size: 11 }) }, false],
    ['ends when its sidecar does', { fingerprint: 'g' }, false],
    ['of a deletion keeps no file back', { history: [attempt, { ...attempt, operation: 'delete' }] }, false],
    ['without a history stands', { history: [] }, true],
  ])('%s', (_, parts, stands) => {
    const known = { ...failure, ...parts };
    expect(refusedAsItStands({ failure: () => known }, document)).toEqual(stands ? known : undefined);
  });
});
