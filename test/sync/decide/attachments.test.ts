import { describe, expect, it } from '@jest/globals';

import type { Inspection } from '../../../src/model/document.ts';
import { shareModes } from '../../../src/model/metadata/metadata.ts';
import type { ShareMode } from '../../../src/model/metadata/metadata.ts';
import { planDocument } from '../../../src/model/plan.ts';
import type { LedgerEntry, LedgerRecord } from '../../../src/model/ports/ledger-port.ts';
import {
  carriersOf,
  companionsOf,
  hasLetGo,
  unsentAttachments,
  exposureReason,
} from '../../../src/sync/decide/attachments.ts';
import { comparedOf, recordOf, statOf } from '../../support/fixtures/model-fixtures.ts';

const from = { folder: 'inbox', path: 'report.pdf' };
const file = { folder: 'inbox', path: 'salaries.csv' };
const carried = { name: 'salaries.csv', path: 'salaries.csv', stat: statOf({ ino: 8 }), sha256: 'aa' };
const { document } = comparedOf({ fileName: 'report.pdf' });
const reason = { code: 'any', message: 'any' };

describe('a document lets go of an attachment (I5)', () => {
  it.each<[string, Inspection, boolean]>([
    ['stands there without it', { kind: 'document', document }, true],
    ['lists it', { kind: 'document', document: { ...document, attachments: [{ ...carried }] } }, false],
    ['is being saved', { kind: 'settling', againMs: 1 }, false],
    ['waits', { kind: 'waiting', againMs: null, ...reason }, false],
    ['is not valid', { kind: 'unfit', ...reason }, false],
    ['is ignored', { kind: 'ignored', ...reason }, false],
    ['is empty', { kind: 'skipped', ...reason }, false],
    ['cannot be read', { kind: 'unknown', ...reason }, false],
    ['is gone, and its deletion undecided', { kind: 'absent', device: 1 }, false],
  ])('when it %s', (_, found, expected) => {
    expect(hasLetGo(found, file, { from, isKept: false, isGracePast: true })).toBe(expected);
  });

  it('when it is gone for the grace period and is kept at the service', () => {
    const absent: Inspection = { kind: 'absent', device: 1 };
    expect(hasLetGo(absent, file, { from, isKept: true, isGracePast: false })).toBe(false);
    expect(hasLetGo(absent, file, { from, isKept: true, isGracePast: true })).toBe(true);
  });

  it('when the file went to another folder and it stands there without it', () => {
    const found: Inspection = { kind: 'document', document: { ...document, attachments: [{ ...carried }] } };
    expect(hasLetGo(found, { ...file, folder: 'other' }, { from, isKept: false, isGracePast: false })).toBe(
      true,
    );
  });
});

describe('who carries a file', () => {
  const entry: LedgerEntry = { ref: from, record: recordOf({ attachments: [carried] }) };
  const found = (path: string) => ({ ...document, ref: { folder: 'inbox', path }, stat: statOf({ ino: 8 }) });
  const carriers = (path: string, known?: LedgerEntry) =>
    carriersOf(found(path), { findCarriers: () => [entry], get: () => known?.record });

  it('is told by the path, and for a new file by its identity', () => {
    expect(carriers('salaries.csv')).toEqual([entry]);
    expect(carriers('renamed.csv')).toEqual([entry]);
  });

  it('is not told by the identity where the file has a document of its own: it may be a hard link', () => {
    expect(carriers('renamed.csv', entry)).toEqual([]);
    expect(carriers('salaries.csv', entry)).toEqual([entry]);
  });

  it('is never the file itself', () => {
    expect(carriers('report.pdf')).toEqual([]);
  });
});

describe('what had a say, of a record that does not tell', () => {
  it('was a sidecar where it attached a file', () => {
    expect(companionsOf(from, recordOf({ attachments: [carried] }))).toEqual({
      sidecar: 'name',
      defaults: [],
    });
  });

  it('was nothing otherwise', () => {
    const own = { ...carried, path: 'report.pdf.attachments/x.csv' };
    expect(companionsOf(from, recordOf({ attachments: [own] }))).toBeUndefined();
    expect(companionsOf(from, undefined)).toBeUndefined();
  });

  it('is what it tells where it does', () => {
    const companions = { sidecar: 'stem', defaults: ['', 'a'] } as const;
    expect(companionsOf(from, recordOf({ attachments: [carried], companions }))).toEqual(companions);
  });
});

it('attachments about which an answer was lost, and which nobody lists any more, are sent when they are listed again', () => {
  const attachment = { name: 'a.csv', stat: statOf(), sha256: 'aa' };
  const unsure = { content: false, attachments: true, metadata: [] };
  const record = recordOf({ attachments: [attachment], unsure });
  const none = comparedOf();
  expect(planDocument(none, record)).toMatchObject({ kind: 'none', unclearable: [{ code: 'attachments' }] });
  const adopted = recordOf({ attachments: unsentAttachments(none, record) });
  const again = comparedOf({ attachments: [['a.csv', 'aa']] });
  expect(planDocument(again, adopted)).toMatchObject({ kind: 'modify', attachments: true });
});

describe('a sharing mode is not widened while the service holds attachments that nobody lists', () => {
  const held = { name: 'a.csv', stat: statOf(), sha256: 'aa' };
  const shown = (
    before: ShareMode,
    after: ShareMode,
    changes: Partial<LedgerRecord> = {},
    listed: [string, string][] = [],
  ) => {
    const compared = comparedOf({ metadata: { shareInfo: { mode: after } }, attachments: listed });
    const record = recordOf({ metadata: { shareInfo: { mode: before } }, attachments: [held], ...changes });
    return exposureReason(planDocument(compared, record), compared, record)?.code ?? null;
  };
  const pairs = shareModes.flatMap((before, narrow) =>
    shareModes.map((after, wide) => [before, after, wide > narrow] as const),
  );

  it.each(pairs)('%s to %s: %s', (before, after, isWider) => {
    expect(shown(before, after)).toBe(isWider ? 'attachments-would-show' : null);
  });

  it('but it is where they are listed, or replaced', () => {
    expect(shown('NONE', 'EVERYONE', {}, [['a.csv', 'aa']])).toBeNull();
    expect(shown('NONE', 'EVERYONE', {}, [['b.csv', 'bb']])).toBeNull();
  });

  it('and where there never were any', () => {
    expect(shown('NONE', 'EVERYONE', { attachments: [] })).toBeNull();
  });

  it('an answer that was lost counts as either', () => {
    const unsure = { content: false, attachments: true, metadata: [] };
    expect(shown('NONE', 'EVERYONE', { attachments: [], unsure })).toBe('attachments-would-show');
    expect(shown('NONE', 'EVERYONE', { attachments: [], said: ['attachments'] })).toBe(
      'attachments-would-show',
    );
    const narrowed = {
      content: false,
      attachments: false,
      metadata: [{ shareInfo: { mode: 'NONE' as const } }],
    };
    expect(shown('EVERYONE', 'EVERYONE', { unsure: narrowed })).toBe('attachments-would-show');
  });
});
