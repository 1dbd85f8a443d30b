import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { readDisposition } from '../../../src/embedded/form/read-parts.ts';

const latin1 = (text: string) => Buffer.from(text).toString('latin1');

describe('a content disposition', () => {
  it.each([
    ['form-data; name="file"; filename="a.pdf"', 'file', 'a.pdf'],
    ['Form-Data;name=file;filename=a.pdf', 'file', 'a.pdf'],
    ['form-data; filename="a;b=c.pdf"; name="file"', 'file', 'a;b=c.pdf'],
    ['form-data; name="file"; filename=""', 'file', ''],
    ['form-data; name="metadata"', 'metadata', null],
    ['form-data; name="f"; filename="%22%0D%0A%2F%.pdf"', 'f', '"\r\n%2F%.pdf'],
    [String.raw`form-data; name="f"; filename="a\"b.pdf"`, 'f', 'a"b.pdf'],
    [String.raw`form-data; name="f"; filename="a\b.pdf"`, 'f', String.raw`a\b.pdf`],
    [`form-data; name="f"; filename="x.pdf"; filename*=UTF-8''%C3%A4%2F.pdf`, 'f', 'ä/.pdf'],
    [latin1('form-data; name="f"; filename="文書.pdf"'), 'f', '文書.pdf'],
  ])('%s', (header, name, fileName) => {
    expect(readDisposition(header)).toEqual({ name, fileName });
  });

  it.each([
    '',
    'attachment; name="file"',
    'form-data',
    'form-data; filename="a.pdf"',
    'form-data; name="a"; name="b"',
    'form-data; name="file"; filename="a.pdf',
    'form-data; name="file" filename="a.pdf"',
    'form-data; name="file"; filename*=latin1\'\'a.pdf',
    'form-data; name="file"; filename*=UTF-8\'\'%zz',
    'form-data; name="\xff"',
  ])('is refused: %s', (header) => {
    expect(() => readDisposition(header)).toThrow(/form/);
  });

  it('gives back any name as browsers and form-data write it', () => {
    const name = fc.string({ unit: 'grapheme' }).filter((text) => !/%22|%0D|%0A|\\/.test(text));
    fc.assert(
      fc.property(name, (fileName) => {
        const escaped = fileName.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
        const header = latin1(`form-data; name="file"; filename="${escaped}"`);
        expect(readDisposition(header).fileName).toBe(fileName);
      }),
    );
  });

  it('is read in no time, however odd', () => {
    const began = performance.now();
    for (const piece of ['\\"', '; a=b', '"', ' ', ';', '%2', "*='"]) {
      for (const end of ['', '"', '\u0000']) {
        for (const begin of ['', '"']) attempt(`form-data; name=${begin}${piece.repeat(5000)}${end}`);
      }
    }
    expect(performance.now() - began).toBeLessThan(1000);
  });
});

function attempt(header: string): void {
  try {
    readDisposition(header);
  } catch {
    // Refused or not: only the time counts here.
  }
}
