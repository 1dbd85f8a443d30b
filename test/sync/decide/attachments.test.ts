import { describe, expect, it } from '@jest/globals';

import { planDocument } from '../../../src/model/plan.ts';
import type { LedgerEntry } from '../../../src/model/ports/ledger-port.ts';
import {
  attachmentsAfterMove,
  recordedOwners,
  unsentAttachments,
  unsureStill,
} from '../../../src/sync/decide/attachments.ts';
import { UnsentAttachments } from '../../../src/sync/decide/unsent-attachments.ts';
import { comparedOf, recordOf, statOf } from '../../support/fixtures/model-fixtures.ts';

const from = { folder: 'inbox', path: 'report.pdf' };
const carried = { name: 'salaries.csv', path: 'salaries.csv', stat: statOf({ ino: 8 }), sha256: 'aa' };
const { document } = comparedOf({ fileName: 'report.pdf' });

describe('who carries a file', () => {
  const entry: LedgerEntry = { ref: from, record: recordOf({ attachments: [carried] }) };
  const found = (path: string) => ({ ...document, ref: { folder: 'inbox', path }, stat: statOf({ ino: 8 }) });
  const owners = (path: string, known?: LedgerEntry, ino?: number) =>
    recordedOwners(
      { ...found(path), ...(ino === undefined ? null : { stat: statOf({ ino }) }) },
      {
        findOwners: () => [entry],
        findByFile: () => (known === undefined ? [] : [known]),
        get: () => (known?.ref.path === path ? known.record : undefined),
      },
    ).map(({ owners: [owner], place, sha256 }) => ({ owner, place, sha256 }));
  const place = { owner: from, place: { folder: 'inbox', path: 'salaries.csv' } };

  it('is not told by the identity where the file has a document of its own: it may be a hard link', () => {
    const link = { ref: found('renamed.csv').ref, record: recordOf({ stat: statOf({ ino: 8 }) }) };
    expect(owners('renamed.csv', link)).toEqual([]);
    // Its record has not followed it yet.
    expect(owners('moved.csv', link)).toEqual([]);
    expect(owners('renamed.csv', { ...link, record: entry.record })).toEqual([place]);
    expect(owners('salaries.csv', entry)).toEqual([place]);
  });

  it('is told by content where files have no numbers, but of one that is a document, or attached no more', () => {
    const stat = statOf({ ino: 0 });
    const ownersOf = (attachment: typeof carried | Omit<typeof carried, 'path'>, known?: LedgerEntry) =>
      recordedOwners(
        { ...found('renamed.csv'), stat },
        {
          findOwners: () => [{ ref: from, record: recordOf({ attachments: [{ ...attachment, stat }] }) }],
          findByFile: () => [],
          get: () => known?.record,
        },
      ).map(({ place, sha256 }) => ({ place, sha256 }));
    expect(ownersOf(carried)).toEqual([{ place: place.place, sha256: 'aa' }]);
    expect(ownersOf(carried, { ref: from, record: recordOf({ stat, sha256: 'aa' }) })).toEqual([]);
    expect(ownersOf(carried, { ref: from, record: recordOf({ stat, sha256: 'bb' }) })).toHaveLength(1);
    expect(ownersOf({ name: carried.name, stat, sha256: 'aa' })).toEqual([]);
  });

  it('is told by size and time where files have no numbers, and the document was not sent', () => {
    const stat = statOf({ ino: 0 });
    const unsent = new UnsentAttachments();
    unsent.note({ owner: from, ownerStat: statOf({ ino: 9 }), ...place.place, stat, isListed: true });
    const ownersOf = (size = stat.size) =>
      unsent.ownersOf({ ...found('renamed.csv'), stat: { ...stat, size } }, () => []);
    expect(ownersOf()).toMatchObject([{ owners: [from], place: place.place, sha256: null }]);
    expect(ownersOf(stat.size + 1)).toEqual([]);
  });

  it('is never the file itself', () => {
    expect(owners('report.pdf')).toEqual([]);
    expect(owners('salaries.csv', undefined, entry.record.stat.ino)).toEqual([]);
  });
});

it('attachments about which an answer was lost, and which nobody lists any more, are sent when they are listed again', () => {
  const attachment = { name: 'a.csv', stat: statOf(), sha256: 'aa' };
  const unsure = { content: false, attachments: true, metadata: [] };
  const record = recordOf({ attachments: [attachment], unsure });
  const none = comparedOf();
  expect(planDocument(none, record)).toMatchObject({ kind: 'none', unclearable: [{ code: 'attachments' }] });
  const adopted = {
    ...record,
    unsure: unsureStill(none, record),
    attachments: unsentAttachments(none, record),
  };
  expect(adopted).toEqual(record);
  const again = comparedOf({ attachments: [['a.csv', 'aa']] });
  expect(planDocument(again, adopted)).toMatchObject({ kind: 'modify', attachments: true });
});

describe('the attachments of a document that moves', () => {
  const places = (from: string, to: string, path: string, isWithDirectory: boolean) => {
    const attachments = [{ ...carried, path }];
    const moved = attachmentsAfterMove(recordOf({ attachments }), {
      from: { folder: 'inbox', path: from },
      to: { folder: 'inbox', path: to },
      isWithDirectory,
    });
    return moved.map(({ path }) => path);
  };

  it.each([
    ['beside it', 'd/a.pdf', 'e/a.pdf', 'd/x.csv', 'e/x.csv'],
    ['below it', 'd/a.pdf', 'e/f/a.pdf', 'd/g/x.csv', 'e/f/g/x.csv'],
    ['from the root', 'a.pdf', 'e/a.pdf', 'x.csv', 'e/x.csv'],
    ['to the root', 'd/a.pdf', 'a.pdf', 'd/x.csv', 'x.csv'],
    ['elsewhere stay', 'd/a.pdf', 'e/a.pdf', 'g/x.csv', 'g/x.csv'],
  ])('with its directory: %s', (_, from, to, path, expected) => {
    expect(places(from, to, path, true)).toEqual([expected]);
    expect(places(from, to, path, false)).toEqual([path]);
  });
});
