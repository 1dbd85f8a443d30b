import { describe, expect, it } from '@jest/globals';

import type { Inspection } from '../../../src/model/document.ts';
import { planDocument } from '../../../src/model/plan.ts';
import type { LedgerEntry } from '../../../src/model/ports/ledger-port.ts';
import {
  attachmentsAfterMove,
  carriersOf,
  claimChanges,
  hasLetGo,
  unsentAttachments,
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
    carriersOf(found(path), {
      findCarriers: () => [entry],
      get: () => known?.record,
    });

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

describe('the attachments of a document that moves', () => {
  const places = (from: string, to: string, folder: string, ...paths: string[]) => {
    const attachments = paths.map((path) => ({ ...carried, path }));
    const moved = attachmentsAfterMove(
      recordOf({ attachments }),
      { folder: 'inbox', path: from },
      { folder, path: to },
    );
    return moved.map(({ path }) => path);
  };

  it.each([
    ['beside it', 'd/a.pdf', 'e/a.pdf', 'd/x.csv', 'e/x.csv'],
    ['below it', 'd/a.pdf', 'e/f/a.pdf', 'd/g/x.csv', 'e/f/g/x.csv'],
    ['from the root', 'a.pdf', 'e/a.pdf', 'x.csv', 'e/x.csv'],
    ['to the root', 'd/a.pdf', 'a.pdf', 'd/x.csv', 'x.csv'],
    ['in its own directory', 'd/a.pdf', 'd/b.pdf', 'd/a.pdf.attachments/x.csv', 'd/b.pdf.attachments/x.csv'],
    ['elsewhere stay', 'd/a.pdf', 'e/a.pdf', 'g/x.csv', 'g/x.csv'],
  ])('%s', (_, from, to, path, expected) => {
    expect(places(from, to, 'inbox', path)).toEqual([expected]);
  });

  it('to another folder and back: those elsewhere stay where they are', () => {
    const [here, there] = [from, { ...from, folder: 'other' }].map((ref) => ({ ...ref, path: 'd/a.pdf' }));
    if (here === undefined || there === undefined) throw new Error('two places');
    const attachments = ['d/x.csv', 'g/x.csv'].map((path) => ({ ...carried, path }));
    const away = attachmentsAfterMove(recordOf({ attachments }), here, there);
    expect(away.map(({ path, folder }) => [path, folder])).toEqual([
      ['d/x.csv', undefined],
      ['g/x.csv', 'inbox'],
    ]);
    expect(attachmentsAfterMove(recordOf({ attachments: away }), there, here)).toEqual(attachments);
  });
});

describe('what the ledger learns of what sidecars attach (I5)', () => {
  const claim = (...paths: string[]) => ({ sidecar: 'report.pdf.meta.json', paths });
  const learned = (now: readonly string[], { known, sent }: { known?: string[]; sent?: string[] } = {}) => {
    const attachments = sent?.map((path) => ({ ...carried, path }));
    const changes = claimChanges('inbox', [['report.pdf', claim(...now)]], {
      get: () => (attachments === undefined ? undefined : recordOf({ attachments })),
      claims: () => new Map(known === undefined ? [] : [['report.pdf', claim(...known)]]),
    });
    return changes.map((change) => (change.kind === 'claim' ? change.claim.paths : change));
  };

  it.each([
    ['is new', learned(['a.csv']), [['a.csv']]],
    ['is known', learned(['a.csv'], { known: ['a.csv'] }), []],
    ['was sent', learned(['a.csv'], { sent: ['a.csv'] }), []],
    ['was sent in part', learned(['a.csv', 'b.csv'], { sent: ['a.csv'] }), [['b.csv']]],
    ['is less than before', learned(['a.csv'], { known: ['a.csv', 'b.csv'] }), [['a.csv']]],
    ['ended', learned([], { known: ['a.csv'] }), [[]]],
    ['ended, and was not known', learned([]), []],
  ])('where it %s', (_, changes, expected) => {
    expect(changes).toEqual(expected);
  });
});
