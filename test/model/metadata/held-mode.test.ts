import { describe, expect, it } from '@jest/globals';

import type { FileStat, FoundDocument } from '../../../src/model/document.ts';
import {
  keepHeldMode,
  keptReason,
  movedRecord,
  rememberFiles,
  withHeldMode,
  withUnsureMode,
} from '../../../src/model/metadata/held-mode.ts';
import { modeOf, shareModes } from '../../../src/model/metadata/metadata.ts';
import type { ShareMode } from '../../../src/model/metadata/metadata.ts';
import type { LedgerEntry, LedgerRecord } from '../../../src/model/ports/ledger-port.ts';
import { comparedOf, recordOf, statOf } from '../../support/fixtures/model-fixtures.ts';

type Companions = LedgerRecord['companions'];

const own: Companions = { sidecar: 'name', defaults: [] };
const above = (...defaults: string[]): Companions => ({ sidecar: null, defaults });

/** A document whose file a record has; `source`: where `stated` comes from. */
function found(key: string, { stated, source }: { stated: ShareMode; source?: string }): FoundDocument {
  const [folder = '', ...path] = key.split('/');
  return {
    ref: { folder, path: path.join('/') },
    stat: statOf(),
    fingerprint: '',
    fileName: 'new.txt',
    sidecar: source?.endsWith('.txt.meta.json') === true ? source : null,
    metadata: source === undefined ? {} : { shareInfo: { mode: stated } },
    sources: source === undefined ? {} : { shareInfo: source },
    attachments: [],
  };
}

function holder(parts: Partial<LedgerRecord>, path = 'sub/a.txt'): LedgerEntry {
  return { ref: { folder: 'inbox', path }, record: recordOf(parts) };
}

const kept = (document: FoundDocument, ...holders: readonly LedgerEntry[]) =>
  modeOf(keepHeldMode(document, undefined, { records: holders, unsent: [] }).metadata);

describe('the mode of a document whose file another record has', () => {
  it.each<readonly [ShareMode, Companions, string, ShareMode, string | undefined, ShareMode]>([
    ['NONE', own, 'inbox/sub/b.txt', 'EVERYONE', 'folder settings', 'NONE'],
    ['NONE', own, 'inbox/sub/b.txt', 'EVERYONE', 'sub/.meta.json', 'NONE'],
    ['NONE', own, 'inbox/sub/b.txt', 'EVERYONE', 'sub/b.txt.meta.json', 'EVERYONE'],
    ['NONE', own, 'inbox/sub/b.txt', 'DEFAULT', undefined, 'NONE'],
    ['NONE', own, 'other/b.txt', 'EVERYONE', 'folder settings', 'NONE'],
    ['DEFAULT', own, 'inbox/b.txt', 'EVERYONE', 'folder settings', 'DEFAULT'],
    ['DEFAULT', own, 'inbox/b.txt', 'NONE', 'folder settings', 'NONE'],
    ['EVERYONE', own, 'inbox/b.txt', 'DEFAULT', undefined, 'DEFAULT'],
    // Out of a private directory, below what was above it already.
    ['NONE', above('sub'), 'inbox/b.txt', 'EVERYONE', 'folder settings', 'NONE'],
    ['NONE', above(''), 'inbox/b.txt', 'DEFAULT', 'folder settings', 'NONE'],
    ['NONE', above('', 'sub'), 'inbox/b.txt', 'EVERYONE', '.meta.json', 'NONE'],
    ['DEFAULT', above('sub'), 'inbox/b.txt', 'EVERYONE', 'folder settings', 'DEFAULT'],
    // To where something else is in force.
    ['NONE', above('sub'), 'inbox/open/b.txt', 'EVERYONE', 'open/.meta.json', 'EVERYONE'],
    ['NONE', above('sub'), 'other/b.txt', 'EVERYONE', 'folder settings', 'EVERYONE'],
    ['NONE', undefined, 'other/b.txt', 'EVERYONE', 'folder settings', 'EVERYONE'],
    // Nothing is in force there.
    ['NONE', undefined, 'other/b.txt', 'DEFAULT', undefined, 'NONE'],
    // What was in force was edited, or something deeper was made.
    ['NONE', above('sub'), 'inbox/sub/b.txt', 'EVERYONE', 'sub/.meta.json', 'EVERYONE'],
    ['NONE', undefined, 'inbox/sub/b.txt', 'EVERYONE', 'folder settings', 'EVERYONE'],
    ['NONE', undefined, 'inbox/sub/b.txt', 'EVERYONE', 'sub/.meta.json', 'EVERYONE'],
    ['DEFAULT', undefined, 'inbox/sub/b.txt', 'EVERYONE', 'folder settings', 'EVERYONE'],
  ])('held as %s by %j, at %s with %s from %s, is %s', (mode, companions, key, stated, source, expected) => {
    const document = found(key, { stated, ...(source === undefined ? null : { source }) });
    expect(kept(document, holder({ metadata: { shareInfo: { mode } }, companions }))).toBe(expected);
  });

  const open = found('inbox/b.txt', { stated: 'EVERYONE', source: 'folder settings' });

  it('is the narrowest of all that have the file', () => {
    const of = (mode: ShareMode, path: string) =>
      holder({ metadata: { shareInfo: { mode } }, companions: own }, path);
    expect(kept(open, of('DEFAULT', 'c.txt'), of('NONE', 'd.txt'), of('EVERYONE', 'e.txt'))).toBe('NONE');
  });

  it('is the narrowest that the service may have', () => {
    const unsure = {
      content: false,
      attachments: false,
      metadata: [{ shareInfo: { mode: 'NONE' } }],
    } as const;
    const entry = holder({ metadata: { shareInfo: { mode: 'EVERYONE' } }, companions: own, unsure });
    expect(kept(open, entry)).toBe('NONE');
  });

  it('is NONE where nobody knows how an imported document is shared', () => {
    expect(kept(open, holder({ said: ['imported'] }))).toBe('NONE');
  });

  it('is as stated where the inode number was used again', () => {
    const { stat: _, ...rest } = open;
    const entry = (parts: Partial<LedgerRecord>) =>
      holder({ metadata: { shareInfo: { mode: 'NONE' } }, companions: own, ...parts });
    expect(kept({ ...rest, stat: statOf({ birthtimeMs: 501 }) }, entry({}))).toBe('EVERYONE');
    const unknown = { birthtimeMs: 0 };
    expect(kept({ ...rest, stat: statOf(unknown) }, entry({ stat: statOf(unknown) }))).toBe('NONE');
    const reused = statOf({ ...unknown, mtimeMs: 2_000 });
    expect(kept({ ...rest, stat: reused }, entry({ stat: statOf(unknown) }))).toBe('EVERYONE');
  });

  it('is said, with what to do', () => {
    const privately = { metadata: { shareInfo: { mode: 'NONE' } }, companions: own } as const;
    const reason = (entry: LedgerEntry, document = open) =>
      keptReason(keepHeldMode(document, undefined, { records: [entry], unsent: [] }))?.message;
    expect(reason(holder(privately))).toBe('kept private: its former sidecar said NONE');
    const below = holder({ ...privately, companions: above('sub') });
    expect(reason(below)).toBe('kept private: sub/.meta.json said NONE for it, and no longer does');
    expect(reason(below, found('other/b.txt', { stated: 'DEFAULT' }))).toBe(
      'kept private: inbox/sub/.meta.json said NONE for it, and no longer does; nothing states a mode for it now',
    );
    const imported = { metadata: privately.metadata, said: ['imported'] };
    expect(reason(holder(imported))).toBe('kept private: the import said NONE');
    const attachment = { name: 'x.csv', sha256: '', stat: statOf() };
    expect(reason(holder({ stat: statOf({ ino: 8 }), attachments: [attachment] }))).toBe(
      'kept private: it was an attachment of sub/a.txt',
    );
    expect(keptReason(open)).toBeNull();
  });
});

describe('the mode of a document that was accepted', () => {
  const modeAt = (key: string, record: LedgerRecord, source = 'folder settings') =>
    modeOf(
      keepHeldMode(found(key, { stated: 'EVERYONE', source }), record, { records: [], unsent: [] }).metadata,
    );

  it('is that of the settings of another folder, from which it was moved before it was sent again', () => {
    const [from, here] = [
      { folder: 'inbox', path: 'a.txt' },
      { folder: 'other', path: 'b.txt' },
    ];
    const moved = movedRecord(recordOf({ metadata: { shareInfo: { mode: 'NONE' } } }), from, here);
    const document = found('other/b.txt', { stated: 'DEFAULT' });
    const kept = keepHeldMode(document, moved, { records: [], unsent: [] });
    const record = withHeldMode(moved, kept, { before: moved, sent: false });
    expect([modeAt('other/b.txt', moved), modeAt('other/b.txt', record)]).toEqual(['EVERYONE', 'NONE']);
    const at = (ref: { folder: string; path: string }) => movedRecord(record, here, ref);
    expect([
      modeAt('third/b.txt', at({ ...here, folder: 'third' })),
      modeAt('inbox/a.txt', at(from)),
    ]).toEqual(['EVERYONE', 'EVERYONE']);
  });

  it.each<readonly [string, ShareMode]>([
    ['other/X/A/.meta.json', 'NONE'],
    ['other/X/A/b/.meta.json', 'EVERYONE'],
    ['other/X/.meta.json', 'EVERYONE'],
    ['other/folder settings', 'EVERYONE'],
    ['inbox/A/.meta.json', 'NONE'],
    ['inbox/A/b/.meta.json', 'EVERYONE'],
    ['inbox/folder settings', 'NONE'],
  ])('is widened by %s after a move of a directory above it to %s', (statement, expected) => {
    const [inbox, other] = [
      { folder: 'inbox', path: 'A' },
      { folder: 'other', path: 'X/A' },
    ];
    const below = ({ folder, path }: typeof inbox) => ({ folder, path: `${path}/b/d.txt` });
    const record = recordOf({ metadata: { shareInfo: { mode: 'NONE' } }, companions: above('A', 'A/b') });
    const there = movedRecord(record, below(inbox), below(other), { from: inbox, to: other });
    const back = movedRecord(there, below(other), below(inbox), { from: other, to: inbox });
    const [folder = '', source = ''] = statement.split(/\/(.*)/);
    const isBack = folder === 'inbox';
    const { path } = below(isBack ? inbox : other);
    expect(modeAt(`${folder}/${path}`, isBack ? back : there, source)).toBe(expected);
  });

  it.each<readonly [ShareMode, string, Companions, ShareMode]>([
    // Its own sidecar states none, and the directory's was not taken: it is sent again.
    ['EVERYONE', '.meta.json', own, 'EVERYONE'],
    // Should it have been taken, it is private.
    ['NONE', 'b.txt.meta.json', undefined, 'NONE'],
  ])('may be %s, which %s states, of a modify without an answer', (stated, source, companions, expected) => {
    const record = recordOf({ metadata: {}, companions });
    const unsure = { content: false, attachments: false, metadata: [{ shareInfo: { mode: stated } }] };
    const marked = withUnsureMode({ ...record, unsure }, found('inbox/b.txt', { stated, source }), record);
    expect(modeAt('inbox/b.txt', marked, '.meta.json')).toBe(expected);
  });
});

describe('what a record remembers', () => {
  const ref = { folder: 'inbox', path: 'a.txt' };
  const statNo = (ino: number) => statOf({ ino, birthtimeMs: ino * 10 });
  let records: readonly LedgerEntry[] = [];
  const ledger = {
    get: () => records.find((one) => one.ref.path === ref.path)?.record,
    findByDocId: () => undefined,
    findByFile: ({ ino }: FileStat) => records.filter((one) => one.record.stat.ino === ino),
  };
  const privately = { metadata: { shareInfo: { mode: 'NONE' } }, companions: own } as const;

  function saved(ino: number): readonly number[] {
    const before = ledger.get() ?? recordOf(privately);
    const change = rememberFiles({ kind: 'put', ref, record: { ...before, stat: statNo(ino) } }, ledger);
    if (change.kind !== 'put') throw new Error('it is a put');
    records = [...records.filter((one) => one.ref.path !== ref.path), { ref, record: change.record }];
    return (change.record.heldModes ?? []).map(({ file }) => file?.ino ?? 0);
  }

  it('is its former files, the latest ones, but for those that have records of their own', () => {
    records = [];
    expect(saved(1)).toEqual([]);
    expect(saved(2)).toEqual([1]);
    expect(saved(3)).toEqual([1, 2]);
    records = [
      ...records,
      { ref: { folder: 'inbox', path: 'b.txt' }, record: recordOf({ docId: 'b', stat: statNo(2) }) },
    ];
    expect(saved(4)).toEqual([1, 3]);
    expect(saved(1)).toEqual([3, 4]);
    for (let ino = 5; ino < 20; ino += 1) saved(ino);
    expect(saved(20)).toEqual([12, 13, 14, 15, 16, 17, 18, 19]);
  });

  it('is none of which nothing is to be kept', () => {
    records = [{ ref, record: recordOf({ stat: statNo(1), metadata: { shareInfo: { mode: 'EVERYONE' } } }) }];
    expect(saved(2)).toEqual([]);
    records = [{ ref, record: recordOf({ stat: statNo(1) }) }];
    expect(saved(2)).toEqual([]);
  });
});

describe('a sharing mode is not widened while the service holds attachments that nobody lists', () => {
  const held = { name: 'a.csv', stat: statOf(), sha256: 'aa' };
  const shown = (
    before: ShareMode,
    after: ShareMode,
    changes: Partial<LedgerRecord> = {},
    listed: [string, string][] = [],
  ) => {
    const { document } = comparedOf({ metadata: { shareInfo: { mode: after } }, attachments: listed });
    const stated = { ...document, sidecar: 'a.pdf.meta.json', sources: { shareInfo: 'a.pdf.meta.json' } };
    const record = recordOf({ metadata: { shareInfo: { mode: before } }, attachments: [held], ...changes });
    const kept = keepHeldMode(stated, record, { records: [], unsent: [] });
    expect(modeOf(kept.metadata)).toBe(keptReason(kept) === null ? after : before);
    return keptReason(kept)?.code ?? null;
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

  it('nor would a person’s word widen it: that is said before another reason', () => {
    const record = recordOf({
      metadata: { shareInfo: { mode: 'NONE' } },
      attachments: [held],
      companions: own,
    });
    const lost = keepHeldMode(comparedOf().document, record, { records: [], unsent: [] });
    expect([modeOf(lost.metadata), keptReason(lost)?.code]).toEqual(['NONE', 'attachments-would-show']);
    // Once some are listed, it is held as its own sidecar said.
    const listed = { ...comparedOf({ attachments: [['b.csv', 'bb']] }).document, sidecar: 'a.pdf.meta.json' };
    const next = withHeldMode(record, lost, { before: record, sent: null });
    expect(keptReason(keepHeldMode(listed, next, { records: [], unsent: [] }))?.code).toBe('kept-private');
  });

  it('an answer that was lost counts as either', () => {
    const unsure = { content: false, attachments: true, metadata: [] };
    expect(shown('NONE', 'EVERYONE', { attachments: [], unsure })).toBe('attachments-would-show');
    expect(shown('NONE', 'EVERYONE', { attachments: [], said: ['attachments'] })).toBe(
      'attachments-would-show',
    );
  });
});
