import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import { missingPart, tellsItsEnd } from '../../../src/scan/rules/missing-part.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/formats');
const samples = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.includes('.'),
);
const sample = (name: string) => readFileSync(join(fixtures, name));
const tenths = [1, 2, 3, 4, 5, 6, 7, 8, 9];
/** Its tables come first: of the content behind them nothing tells whether it is there. */
const tablesComeFirst = ['libreoffice.doc', 'libreoffice.xls'];
/** What came before its update is a whole PDF, with bytes after its end mark. */
const isWholeBefore = (name: string, tenth: number) => name === 'pdf/updated.pdf' && tenth >= 8;

const missingOf = (name: string, bytes: Buffer) =>
  missingPart(name, bytes.length, (at, length) => Promise.resolve(bytes.subarray(at, at + length)));

describe('a document that is not whole by its own format', () => {
  it.each(samples)('is a cut of %s, and not the whole file', async (name) => {
    const whole = sample(name);
    expect(tellsItsEnd(name)).toBe(true);
    expect(await missingOf(name, whole)).toBeNull();
    for (const tenth of tenths) {
      const cut = whole.subarray(0, Math.floor((whole.length * tenth) / 10));
      // Some programs give a file its full length first.
      const filled = Buffer.alloc(whole.length);
      cut.copy(filled);
      if (isWholeBefore(name, tenth)) continue;
      expect([tenth, await missingOf(name, cut)]).toEqual([tenth, expect.any(String)]);
      if (tablesComeFirst.includes(basename(name))) continue;
      expect([tenth, await missingOf(name, filled)]).toEqual([tenth, expect.any(String)]);
    }
  });

  it.each([
    'message.msg',
    'slides.ppt',
    'note.doc',
    'figures.xls',
    'ledger.xlsb',
    'ledger.xlsm',
    'slides.pptx',
    'note.pdf',
  ])('is no %s of the examples, and each half of one', async (name) => {
    const whole = readFileSync(join(import.meta.dirname, '../../../fixtures/documents', name));
    expect(await missingOf(name, whole)).toBeNull();
    expect(await missingOf(name, whole.subarray(0, whole.length / 2))).toEqual(expect.any(String));
  });

  it('is a file of its full length whose bytes are still to come', async () => {
    for (const type of ['pdf', 'docx', 'xlsx', 'pptx', 'xlsm', 'xlsb', 'ods', 'doc', 'xls', 'ppt', 'msg'])
      expect(await missingOf(`a.${type}`, Buffer.alloc(5000))).toBe('a file that begins with zero bytes');
  });

  it('is told in words', async () => {
    const half = (name: string) => sample(name).subarray(0, sample(name).length / 2);
    expect(await missingOf('a.PDF', half('pdf/ghostscript.pdf'))).toBe('a PDF file without its end');
    expect(await missingOf('a.docx', half('ooxml/pandoc.docx'))).toBe('a DOCX file without its end');
    const shorter = 'an XLS file that is shorter than its tables say';
    expect(await missingOf('a.xls', half('ole2/xlwt.xls'))).toBe(shorter);
  });

  it('is an encrypted document, too: an OLE2 file with the name of another type', async () => {
    const whole = sample('ole2/libreoffice.doc');
    expect(await missingOf('a.docx', whole)).toBeNull();
    expect(await missingOf('a.docx', whole.subarray(0, 6000))).toContain('shorter than its tables say');
  });

  it('is none that does not begin as its type does, or whose type says nothing', async () => {
    expect(await missingOf('a.pdf', Buffer.from('no PDF at all'))).toBeNull();
    expect(await missingOf('a.docx', Buffer.from('%PDF-1.7 named wrongly'))).toBeNull();
    expect(await missingOf('a.doc', sample('ooxml/pandoc.docx').subarray(0, 999))).toBeNull();
    expect(await missingOf('a.xls', Buffer.from('a\tb\n1\t2\n'))).toBeNull();
    expect(['a.txt', 'a.eml', 'a.csv', 'a.html', 'a.one', 'a'].filter(tellsItsEnd)).toEqual([]);
  });

  it('is no PDF with bytes after its end mark, as far as a reader looks for it', async () => {
    const more = (bytes: number) => Buffer.concat([sample('pdf/reportlab.pdf'), Buffer.alloc(bytes, ' ')]);
    expect(await missingOf('a.pdf', more(1000))).toBeNull();
    expect(await missingOf('a.pdf', more(1024))).not.toBeNull();
  });

  it('is one whose end record was cut in its comment', async () => {
    const whole = sample('ooxml/comment.docx');
    expect(await missingOf('a.docx', whole.subarray(0, whole.length - 1))).toBe(
      'a DOCX file without its end',
    );
  });
});
