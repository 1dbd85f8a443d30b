import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { printableBytes, printableTwin } from '../../../src/lib/text/printable.ts';
import { isTemporaryName } from '../../../src/scan/rules/classify.ts';
import { resolveAttachment } from '../../../src/scan/rules/attachment-lists.ts';

describe('names of files that programs save by (F2, F3, F4, F7, F8, F9)', () => {
  it.each([
    '.report.pdf.swp',
    '4913',
    'report.pdf~',
    '.#report.pdf',
    '#report.pdf#',
    '.report.pdf.a8Xk2z',
    '~$report.docx',
    '~WRL0001.tmp',
    '.~lock.report.odt#',
    'lu123abc.tmp',
    'x.osl-tmp',
    'report.pdf.crdownload',
    'report.pdf.part',
    'REPORT.PDF.TMP',
    '.goutputstream-ABC123',
    '.syncthing.report.pdf.tmp',
    '.DS_Store',
  ])('leaves out %s', (name) => {
    expect(isTemporaryName(name)).toBe(true);
  });

  it.each(['report.pdf', 'tmp.pdf', 'part.txt', '~report.pdf', '#1.pdf', 'a.tmp.pdf', '$x.pdf', '49131'])(
    'keeps %s',
    (name) => {
      expect(isTemporaryName(name)).toBe(false);
    },
  );
});

describe('paths of attachments (F54)', () => {
  it.each([
    ['a.xlsx', 'q/a.xlsx'],
    ['./a.xlsx', 'q/a.xlsx'],
    ['../a.xlsx', 'a.xlsx'],
    ['sub//a.xlsx', 'q/sub/a.xlsx'],
    ['x/../a.xlsx', 'q/a.xlsx'],
    ['cafe\u0301.xlsx', 'q/caf\u00e9.xlsx'],
    ['a\\b.xlsx', 'q/a\\b.xlsx'],
  ])('resolves %s to %s', (text, path) => {
    expect(resolveAttachment('q', text, 'folder')).toEqual({ kind: 'inside', path });
  });

  it.each(['../../a.xlsx', '/etc/passwd', 'x/../../../a', 'a\0b', '..', ''])(
    'does not let %j out',
    (text) => {
      expect(resolveAttachment(text === '' ? '' : 'q', text, 'folder')).toEqual({ kind: 'outside' });
    },
  );

  it.each([
    ['q', 'a.xlsx', 'inside'],
    ['q', 'sub/a.xlsx', 'inside'],
    ['q', '../q/a.xlsx', 'inside'],
    ['q', '../a.xlsx', 'beyond'],
    ['q', '../q2/a.xlsx', 'beyond'],
    ['q', '../../a.xlsx', 'outside'],
    ['', 'any/a.xlsx', 'inside'],
  ])('from %j, %j is %s where attachments lie below their document', (directory, text, kind) => {
    expect(resolveAttachment(directory, text, 'below').kind).toBe(kind);
  });

  it('never leaves the folder, whatever the path', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (directory, text) => {
        const place = resolveAttachment(directory.replaceAll(/[./]/g, '_'), text, 'folder');
        if (place.kind === 'inside') expect(place.path.split('/')).not.toContain('..');
      }),
    );
  });
});

describe('names in lists (F20, F21, S8)', () => {
  it('escapes bytes that are not ASCII', () => {
    expect(printableBytes(Buffer.from([0x61, 0xe9, 0x0a, 0x2e, 0x70]))).toBe('a\\xE9\\x0A.p');
  });

  it('shows a twin in its own form', () => {
    expect(printableTwin('cafe\u0301.pdf')).toBe('cafe\\u{301}.pdf');
  });
});
