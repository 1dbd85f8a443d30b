import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Change, Doubt, LedgerPort, RootIdentity } from '../../../src/model/ports/ledger-port.ts';
import { isImported } from '../../../src/model/ports/ledger-port.ts';
import { isModeUnknown } from '../../../src/model/report/sharing-change.ts';
import { exportLedger } from '../../../src/ledger/transfer/export-ledger.ts';
import { readImport } from '../../../src/ledger/transfer/read-import.ts';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';
import { put, recordOf, statOf } from '../support/samples.ts';

const now = Date.UTC(2026, 0, 1);
const inbox = { folders: ['inbox'], paths: ['/srv/inbox'], now };
const both = { folders: ['inbox', 'archive'], paths: ['/srv/inbox', '/srv/archive'], now };

const folder = folderOfEachTest();
let ledger: LedgerPort;

beforeEach(async () => {
  ledger = await openLedger({ dir: folder.path, clock: manualClock(), log: recordedLog() });
});

afterEach(() => ledger.close());

describe('an export', () => {
  it('is what the contract says, by folder and path', async () => {
    const attachments = [{ name: 'x.xlsx', path: 'a/x.xlsx', sha256: recordOf(7).sha256, stat: statOf(7) }];
    await ledger.commit([
      put('b.pdf', recordOf(1)),
      put('a/report.pdf', recordOf(2, { attachments, modifiedAt: '2026-01-02T00:00:00Z', said: ['title'] })),
      put('z.pdf', recordOf(3), 'archive'),
    ]);
    const exported = exportLedger(ledger);
    expect(exported.documents.map(({ folder, path }) => [folder, path])).toEqual([
      ['archive', 'z.pdf'],
      ['inbox', 'a/report.pdf'],
      ['inbox', 'b.pdf'],
    ]);
    expect(exported).toMatchObject({ version: 1 });
    expect(exported.documents[1]).toEqual({
      folder: 'inbox',
      path: 'a/report.pdf',
      docId: recordOf(2).docId,
      sha256: recordOf(2).sha256,
      size: 1002,
      attachments: [{ name: 'x.xlsx', sha256: recordOf(7).sha256, path: 'a/x.xlsx', stat: statOf(7) }],
      metadata: recordOf(2).metadata,
      uploadedAt: '2026-01-01T00:00:00.000Z',
      modifiedAt: '2026-01-02T00:00:00Z',
      possibleDuplicates: 0,
      fileName: 'report-2.pdf',
      stat: statOf(2),
      said: ['title'],
    });
  });

  it('says of a document that is given with little that the rest is not known', async () => {
    const documents = [{ folder: 'inbox', path: 'a.pdf', docId: 'd1', sha256: '', size: 7 }];
    const { entries } = readImport(JSON.stringify({ version: 1, documents }), inbox);
    const unknown = { mtimeMs: 0, ctimeMs: 0, birthtimeMs: 0, ino: 0, dev: 0 };
    expect(entries[0]?.record.stat).toEqual({ size: 7, ...unknown });
    await ledger.commit(entries.map(({ ref, record }) => ({ kind: 'put', ref, record })));
    expect(ledger.findByFile({ size: 7, ...unknown, mtimeMs: 1 })).toEqual([]);
  });

  it('I7: carries all that the ledger knows of documents, and an import takes all of it back', async () => {
    const failure = {
      code: 'too-large',
      message: 'is too large',
      attempts: 2,
      history: [{ at: now, operation: 'upload', code: 'too-large', message: 'is too large' }],
      stat: statOf(50),
      fingerprint: 'c1',
      rootChange: 2,
    };
    const ref = (path: string) => ({ folder: 'inbox', path });
    const doubt = (id: string, path: string, parts: Partial<Doubt>): Change => ({
      kind: 'doubt',
      doubt: { id, ref: ref(path), count: 1, since: now, message: 'lost', holds: false, ...parts },
    });
    const root = (folder: string, identity: RootIdentity): Change => ({ kind: 'root', folder, identity });
    const directory = (path: string, ino: number): Change => ({
      kind: 'directory',
      ...ref(path),
      identity: { ino, birthtimeMs: 8.5, dev: 9 },
    });
    await ledger.commit([
      put(
        'a.pdf',
        recordOf(1, {
          unsure: { content: true, attachments: true, metadata: [{ title: 'T' }], gone: true },
          companions: { sidecar: 'name', defaults: ['', 'd'] },
        }),
      ),
      put(
        'b.pdf',
        recordOf(2, {
          possibleDuplicates: 3,
          said: ['title'],
          fileName: 'sent.pdf',
          rootChange: 1,
          heldModes: [
            { ...ref('a.pdf'), mode: 'NONE', by: 'a.pdf.meta.json' },
            { ...ref('c.pdf'), mode: 'DEFAULT', by: null, isAttachment: true, file: statOf(6) },
          ],
        }),
      ),
      put(
        'd/c.pdf',
        recordOf(3, {
          attachments: [
            {
              name: 'x.xlsx',
              path: 'd/c.pdf.attachments/x.xlsx',
              sha256: recordOf(7).sha256,
              stat: statOf(7),
            },
            { name: 'y.csv', sha256: '', stat: statOf(8) },
            { name: 'z.csv', path: 'z.csv', folder: 'split off', sha256: '', stat: statOf(9) },
          ],
        }),
      ),
      doubt('d1', 'e.pdf', { count: 2, holds: true }),
      doubt('d2', 'g.pdf', { dismissed: true }),
      { kind: 'intent', intent: { id: 'i1', ref: ref('f.pdf'), size: 3, at: now + 1 } },
      { kind: 'fail', ref: ref('large.pdf'), failure },
      { kind: 'hold', folder: 'inbox', hold: { since: now, reason: 'many' } },
      { kind: 'approve', folder: 'inbox', paths: ['a.pdf'] },
      { kind: 'approve', folder: 'inbox', paths: ['kept.pdf'], keeps: true },
      { kind: 'removed', folder: 'inbox', removal: { at: now, count: 4 } },
      root('inbox', { path: '/srv/inbox', dev: 3, ino: 4, seenAt: now, changes: 1 }),
      root('split off', { path: '/srv/split', dev: 3, ino: 5 }),
      {
        kind: 'mounts',
        folder: 'inbox',
        mounts: ['d/drive', 'd/stick'],
        identities: [{ path: 'd/drive', ino: 3, birthtimeMs: 4, dev: 5 }],
        bare: [
          { path: 'd/drive', until: now },
          { path: 'd/stick', until: null },
        ],
      },
      directory('', 6),
      directory('d', 7),
      {
        kind: 'former',
        held: {
          ...ref('deleted.pdf'),
          mode: 'NONE',
          by: 'deleted.pdf.meta.json',
          isAttachment: true,
          file: statOf(70),
        },
      },
    ]);
    const exported = exportLedger(ledger);
    const text = JSON.stringify(exported);
    const { entries, changes = [], problems } = readImport(text, inbox);
    expect(problems).toEqual([]);
    const fresh = await openLedger({ dir: folder.join('fresh'), clock: manualClock(), log: recordedLog() });
    await fresh.commit(entries.map(({ ref, record }) => ({ kind: 'put' as const, ref, record })));
    await fresh.commit(changes);
    expect(exportLedger(fresh)).toEqual(exported);
    for (const { ref, record } of ledger.entries()) {
      // What decides what is sent is compared again: a person may have edited the file.
      expect(fresh.get(ref)).toEqual({ ...record, fingerprint: '' });
      expect(fresh.isApproved(ref)).toBe(ledger.isApproved(ref));
    }
    const besidesOf = (one: LedgerPort) => [
      one.doubts(),
      one.intents(),
      [...one.failures()],
      one.hold('inbox'),
      one.removals('inbox'),
      one.root('inbox'),
      one.root('split off'),
      one.mounts('inbox'),
      one.mountIdentities('inbox'),
      one.bareMountPoints('inbox'),
      one.formerModes(statOf(70)),
      one.directory({ folder: 'inbox', path: 'd' }),
    ];
    expect(besidesOf(fresh)).toEqual(besidesOf(ledger));
    await fresh.close();
  });
});

describe('an export of a folder that was taken out of the configuration', () => {
  const ref = { folder: 'old (outside)', path: 'e.pdf' };
  const doubt = { id: 'd1', ref, count: 1, since: now, message: 'lost', holds: true };
  const root = (path: string) => ({
    kind: 'root' as const,
    folder: ref.folder,
    identity: { path, dev: 3, ino: 4 },
  });

  it('is taken back with it, a doubt on its own, too', async () => {
    await ledger.commit([root('/srv'), { kind: 'doubt', doubt }]);
    const text = JSON.stringify(exportLedger(ledger));
    expect(readImport(text, inbox)).toMatchObject({
      problems: [],
      changes: [{ kind: 'doubt', doubt }, root('/srv')],
    });
    await ledger.commit([put('a.pdf', recordOf(1), ref.folder)]);
    const { entries } = readImport(JSON.stringify(exportLedger(ledger)), inbox);
    expect(entries.map((entry) => entry.ref)).toEqual([{ folder: ref.folder, path: 'a.pdf' }]);
  });

  it.each([
    ['whose directory it does not name', []],
    ['whose directory is a folder of another name', [root('/srv/inbox')]],
  ])('is refused for one %s', async (_which, roots) => {
    await ledger.commit([put('a.pdf', recordOf(1), ref.folder), ...roots]);
    const { entries, problems } = readImport(JSON.stringify(exportLedger(ledger)), inbox);
    expect(entries).toEqual([]);
    expect(problems[0]?.message).toContain('no folder named "old (outside)" is configured');
  });
});

it('an export is refused whose attachments are in a folder that is not known', async () => {
  const attachments = [{ name: 'x.csv', path: 'x.csv', folder: 'gone', sha256: '', stat: statOf(8) }];
  await ledger.commit([put('a.pdf', recordOf(1, { attachments }))]);
  const { entries, problems } = readImport(JSON.stringify(exportLedger(ledger)), inbox);
  expect(entries).toEqual([]);
  expect(problems[0]?.message).toContain('no folder named "gone" is configured');
});

describe('an import of CSV', () => {
  it('takes folder, path and docId, in any order, with quotes, a byte order mark and any line ends', () => {
    const text =
      '\uFEFFdocId,Folder,path\r\nd1,inbox,"a ""b"", c.pdf"\r\n\r\nd2,archive,"line\nbreak.pdf"\r\n';
    const { entries, problems } = readImport(text, both);
    expect(problems).toEqual([]);
    expect(entries.map(({ ref, record }) => [ref.folder, ref.path, record.docId])).toEqual([
      ['inbox', 'a "b", c.pdf', 'd1'],
      ['archive', 'line\nbreak.pdf', 'd2'],
    ]);
    expect(entries[0]?.record).toMatchObject({
      sha256: '',
      metadata: {},
      fingerprint: '',
      uploadedAt: '2026-01-01T00:00:00.000Z',
      modifiedAt: null,
    });
  });

  it('may leave the folder out where there is only one', () => {
    const { entries } = readImport('path,docId\nu\u0308.pdf,d1\n', inbox);
    expect(entries.map(({ ref }) => ref)).toEqual([{ folder: 'inbox', path: 'ü.pdf' }]);
    expect(readImport('folder,path,docId\n,a.pdf,d1\n', inbox).entries).toHaveLength(1);
  });

  it.each([
    ['path,docId\na.pdf,d1\n', both, 1, expect.any(String)],
    ['folder,path,docId\n,a.pdf,d1\n', both, 2, 'no folder named "" is configured; there are inbox, archive'],
    [
      'folder,path,docId\nother,a.pdf,d1\n',
      inbox,
      2,
      'no folder named "other" is configured; there is inbox',
    ],
  ])('names no folder that is configured: %j', (text, configured, line, message) => {
    expect(readImport(text, configured)).toMatchObject({ entries: [], problems: [{ line, message }] });
  });

  it('takes the sharing mode where it is known, as stated by nobody else', () => {
    const { entries, problems } = readImport(
      'path,mode,docId\na.pdf,NONE,d1\nb.pdf, EVERYONE ,d2\nc.pdf,,d3\n',
      inbox,
    );
    expect(problems).toEqual([]);
    expect(entries.map(({ record }) => [record.metadata, isModeUnknown(record)])).toEqual([
      [{ shareInfo: { mode: 'NONE' } }, false],
      [{ shareInfo: { mode: 'EVERYONE' } }, false],
      [{}, true],
    ]);
  });

  it('refuses another sharing mode, and names line and value', () => {
    const text = 'path,docId,mode\na.pdf,d1,NONE\nb.pdf,d2,PUBLIC\nc.pdf,d3,none\n';
    const { entries, problems } = readImport(text, inbox);
    expect(entries.map(({ ref }) => ref.path)).toEqual(['a.pdf']);
    expect(problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([
      expect.stringMatching(/^3: mode "PUBLIC" is none of NONE, DEFAULT, EVERYONE; correct it/),
      expect.stringMatching(/^4: mode "none" is/),
    ]);
  });

  it.each(['.', '..', 'd'.repeat(1_025)])('refuses a docId that no address can hold: %s', (docId) => {
    expect(readImport(`path,docId\na.pdf,${docId}\n`, inbox)).toMatchObject({
      entries: [],
      problems: [{ line: 2, message: `${JSON.stringify(docId)} is not a docId` }],
    });
  });

  it('names the line of everything that is wrong', () => {
    const text = [
      'folder,path,docId',
      'inbox,ok.pdf,d0',
      'other,a.pdf,d1',
      'inbox,../a.pdf,d2',
      'inbox,/etc/a.pdf,d3',
      'inbox,,d4',
      'inbox,b.pdf,',
      'inbox,c.pdf,d0',
      'inbox,ok.pdf,d5',
      'inbox,"two\nlines.pdf",.',
      'inbox,d.pdf,..',
    ].join('\n');
    const { entries, problems } = readImport(text, both);
    expect(entries.map(({ ref }) => ref.path)).toEqual(['ok.pdf']);
    expect(problems.map(({ line }) => line)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 12]);
    expect(problems[0]?.message).toContain('inbox, archive');
  });

  it('names the line of a quote that never ends and of a row with too many cells', () => {
    for (const [text, line] of [
      ['path,docId\na.pdf,d1,x\n', 2],
      ['path,docId\na.pdf,d1\nb.pdf,"d2\n', 3],
      ['name,id\na.pdf,d1\n', 1],
      ['path,docId,path\na.pdf,d1,b.pdf\n', 1],
      ['path,docId,note\na.pdf,d1,x\n', 1],
      ['', 1],
      ['5', 1],
    ] as const) {
      expect(readImport(text, inbox)).toMatchObject({ entries: [], problems: [{ line }] });
    }
  });
});

describe('an import of JSON', () => {
  function expectRefused(text: string, words: string): void {
    const { problems } = readImport(text, inbox);
    expect(problems.map(({ message }) => message).join()).toContain(words);
  }

  it.each([
    ['{"version": 1, "documents": [', 'not JSON'],
    ['{\n"version": 1,\n nonsense}', 'not JSON'],
    ['{"version": 2, "documents": []}', 'version is not 1; name a file that ledger export wrote'],
    ['{"documents": {}}', 'version'],
    ['{"version": 1, "documents": [5]}', 'documents[0]'],
    ['{"version": 1, "documents": [{"folder": "inbox", "path": "a.pdf"}]}', 'docId'],
    ['{"version": 1, "documents": [{"folder": "inbox", "path": "../a.pdf", "docId": "1"}]}', '../a.pdf'],
  ])('of %s is refused in words', (text, words) => expectRefused(text, words));

  const file = { folder: 'inbox', path: 'a.pdf' };
  const outside = { folder: 'inbox', path: '../a.pdf' };
  const document = { ...file, docId: '1' };
  const failure = { code: 'x', message: 'x', attempts: 1, history: [], stat: statOf(1), fingerprint: '' };
  const doubt = { id: 'i', ref: outside, count: 1, message: 'lost', holds: true, since: 1 };
  const notAPath = 'changes[0]: "../a.pdf" is not a path';
  const noFolder = 'changes[0]: no folder named "other"';

  it.each<readonly [object, string]>([
    [{ documents: [{ ...document, metadata: { x: 1 } }] }, 'metadata'],
    [{ documents: [{ ...document, sha256: 'ABC' }] }, 'sha256'],
    [{ documents: [document, document] }, 'twice'],
    [{ changes: [{ kind: 'fail', ref: file }] }, 'changes.0.failure'],
    [{ changes: [{ kind: 'sent', id: '1', at: 1 }] }, 'changes.0.kind is not what an export holds'],
    [{ changes: [{ kind: 'intent', intent: { id: 'i', ref: outside, size: 1, at: 1 } }] }, notAPath],
    [{ changes: [{ kind: 'doubt', doubt }] }, notAPath],
    [{ changes: [{ kind: 'fail', ref: outside, failure }] }, notAPath],
    [{ changes: [{ kind: 'approve', folder: 'inbox', paths: ['../a.pdf'] }] }, notAPath],
    [
      { changes: [{ kind: 'mounts', folder: 'inbox', mounts: ['/etc'] }] },
      'changes[0]: "/etc" is not a path',
    ],
    [{ changes: [{ kind: 'directory', ...outside, identity: null }] }, notAPath],
    [{ changes: [{ kind: 'removed', folder: 'other', removal: { at: 1, count: 1 } }] }, noFolder],
    [{ changes: [{ kind: 'hold', folder: 'other', hold: { since: 1, reason: 'many' } }] }, noFolder],
  ])('that holds %j is refused in words', (parts, words) =>
    expectRefused(JSON.stringify({ version: 1, documents: [], ...parts }), words),
  );

  it.each([
    ['{}', true],
    ['{"shareInfo": {"mode": "NONE"}}', false],
    [undefined, true],
  ])(
    'with metadata %s and no stat: nobody knows where its sharing mode was stated, nor which it is: %s',
    (metadata, isUnknown) => {
      const known = metadata === undefined ? '' : `, "metadata": ${metadata}`;
      const document = `{"folder": "inbox", "path": "a.pdf", "docId": "1", "uploadedAt": "2026-01-01T00:00:00Z"${known}}`;
      const { entries } = readImport(`{"version": 1, "documents": [${document}]}`, inbox);
      expect(entries.map(({ record }) => [isModeUnknown(record), isImported(record)])).toEqual([
        [isUnknown, true],
      ]);
    },
  );

  it('S18: is not led astray by names that objects have', () => {
    const text =
      '{"version": 1, "documents": [{"folder": "inbox", "path": "__proto__", "docId": "constructor"}], "__proto__": {"x": 1}}';
    const { entries } = readImport(text, inbox);
    expect(entries.map(({ ref, record }) => [ref.path, record.docId])).toEqual([
      ['__proto__', 'constructor'],
    ]);
  });
});
