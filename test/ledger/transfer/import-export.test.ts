import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { LedgerPort } from '../../../src/model/ports/ledger-port.ts';
import { exportLedger } from '../../../src/ledger/transfer/export-ledger.ts';
import { importLedger } from '../../../src/ledger/transfer/import-ledger.ts';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { TemporaryFolder } from '../../support/temporary-folder.ts';
import { put, recordOf, stampOf } from '../samples.ts';

const now = Date.UTC(2026, 0, 1);
const inbox = { folders: ['inbox'], now };
const both = { folders: ['inbox', 'archive'], now };

let folder: TemporaryFolder;
let ledger: LedgerPort;

beforeEach(async () => {
  folder = await temporaryFolder();
  ledger = await openLedger({ dir: folder.path, clock: manualClock(), log: recordedLog() });
});

afterEach(async () => {
  await ledger.close();
  await folder.remove();
});

describe('an export', () => {
  it('is what the contract says, by folder and path', async () => {
    const attachments = [{ name: 'x.xlsx', sha256: recordOf(7).sha256, stamp: stampOf(7) }];
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
      attachments: [{ name: 'x.xlsx', sha256: recordOf(7).sha256 }],
      metadata: recordOf(2).metadata,
      uploadedAt: '2026-01-01T00:00:00.000Z',
      modifiedAt: '2026-01-02T00:00:00Z',
      possibleDuplicates: 0,
      fileName: 'report-2.pdf',
      said: ['title'],
    });
  });

  it('can be imported again, and then exports the same', async () => {
    const attachments = [{ name: 'x.xlsx', sha256: recordOf(7).sha256, stamp: stampOf(7) }];
    await ledger.commit([
      put('a.pdf', recordOf(1, { attachments })),
      put('d/b.pdf', recordOf(2, { possibleDuplicates: 2 })),
    ]);
    const exported = exportLedger(ledger);
    const { entries, problems } = importLedger(JSON.stringify(exported, null, 2), inbox);
    expect(problems).toEqual([]);
    expect(entries[0]?.record.stamp).toEqual({
      size: 1001,
      mtimeMs: 0,
      ctimeMs: 0,
      birthtimeMs: 0,
      ino: 0,
      dev: 0,
    });
    await ledger.commit(entries.map(({ ref, record }) => ({ kind: 'put', ref, record })));
    expect(exportLedger(ledger)).toEqual(exported);
    expect(ledger.findByInode(0)).toEqual([]);
  });
});

describe('an import of CSV', () => {
  it('takes folder, path and docId, in any order, with quotes, a byte order mark and any line ends', () => {
    const text =
      '\uFEFFdocId,Folder,path\r\nd1,inbox,"a ""b"", c.pdf"\r\n\r\nd2,archive,"line\nbreak.pdf"\r\n';
    const { entries, problems } = importLedger(text, both);
    expect(problems).toEqual([]);
    expect(entries.map(({ ref, record }) => [ref.folder, ref.path, record.docId])).toEqual([
      ['inbox', 'a "b", c.pdf', 'd1'],
      ['archive', 'line\nbreak.pdf', 'd2'],
    ]);
    expect(entries[0]?.record).toMatchObject({
      sha256: '',
      metadata: {},
      context: '',
      uploadedAt: '2026-01-01T00:00:00.000Z',
      modifiedAt: null,
    });
  });

  it('may leave the folder out where there is only one', () => {
    const { entries } = importLedger('path,docId\nu\u0308.pdf,d1\n', inbox);
    expect(entries.map(({ ref }) => ref)).toEqual([{ folder: 'inbox', path: 'ü.pdf' }]);
    expect(importLedger('path,docId\na.pdf,d1\n', both)).toMatchObject({
      entries: [],
      problems: [{ line: 1 }],
    });
    expect(importLedger('folder,path,docId\n,a.pdf,d1\n', inbox).entries).toHaveLength(1);
  });

  it('names the line of everything that is wrong, and then takes nothing', () => {
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
      'inbox,"two\nlines.pdf",d 6',
      'inbox,d.pdf,"d\t7"',
    ].join('\n');
    const { entries, problems } = importLedger(text, both);
    expect(entries).toEqual([]);
    expect(problems.map(({ line }) => line)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 12]);
    expect(problems[0]?.message).toContain('inbox, archive');
  });

  it('names the line of a quote that never ends and of a row with too many cells', () => {
    for (const [text, line] of [
      ['path,docId\na.pdf,d1,x\n', 2],
      ['path,docId\na.pdf,d1\nb.pdf,"d2\n', 3],
      ['name,id\na.pdf,d1\n', 1],
      ['', 1],
      ['5', 1],
    ] as const) {
      expect(importLedger(text, inbox)).toMatchObject({ entries: [], problems: [{ line }] });
    }
  });
});

describe('an import of JSON', () => {
  it.each([
    ['{"version": 1, "documents": [', 'not JSON'],
    ['{\n"version": 1,\n nonsense}', 'not JSON'],
    ['{"version": 2, "documents": []}', 'version'],
    ['{"documents": {}}', 'version'],
    ['{"version": 1, "documents": [5]}', 'documents[0]'],
    ['{"version": 1, "documents": [{"folder": "inbox", "path": "a.pdf"}]}', 'docId'],
    ['{"version": 1, "documents": [{"folder": "inbox", "path": "../a.pdf", "docId": "1"}]}', '../a.pdf'],
    [
      '{"version": 1, "documents": [{"folder": "inbox", "path": "a.pdf", "docId": "1", "metadata": {"x": 1}}]}',
      'metadata',
    ],
    [
      '{"version": 1, "documents": [{"folder": "inbox", "path": "a.pdf", "docId": "1", "sha256": "ABC"}]}',
      'sha256',
    ],
    [
      `{"version": 1, "documents": [${Array.from({ length: 2 }, () => '{"folder":"inbox","path":"a.pdf","docId":"1"}').join()}]}`,
      'twice',
    ],
  ])('of %s is refused in words', (text, words) => {
    const { entries, problems } = importLedger(text, inbox);
    expect(entries).toEqual([]);
    expect(problems.map(({ message }) => message).join()).toContain(words);
  });

  it('S18: is not led astray by names that objects have', () => {
    const text =
      '{"version": 1, "documents": [{"folder": "inbox", "path": "__proto__", "docId": "constructor"}], "__proto__": {"x": 1}}';
    const { entries } = importLedger(text, inbox);
    expect(entries.map(({ ref, record }) => [ref.path, record.docId])).toEqual([
      ['__proto__', 'constructor'],
    ]);
  });
});
