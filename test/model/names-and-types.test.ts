import { describe, expect, it } from '@jest/globals';
import { assert, constantFrom, property, string } from 'fast-check';
import {
  documentTypes,
  extensionOf,
  isDocumentType,
  judgeName,
  judgeSize,
  rewriteName,
  stemOf,
} from '../../src/model/names-and-types.ts';

const broken: readonly (readonly [string, string])[] = [
  ['report', 'no-extension'],
  ['report.', 'no-extension'],
  ['a.b.', 'no-extension'],
  ['report.exe', 'unsupported-type'],
  ['report.pdf ', 'hidden-character'],
  ['report.pdf\u00a0', 'hidden-character'],
  ['report.p\u200bdf', 'hidden-character'],
  ['report.exe ', 'unsupported-type'],
  ['report.tar.gz', 'unsupported-type'],
  ['report.v2.pdf', 'double-extension'],
  ['report..pdf', 'double-extension'],
  ['.pdf.pdf', 'double-extension'],
  ['a\\b.pdf', 'forbidden-character'],
  ['a/b.pdf', 'forbidden-character'],
  [`${'x'.repeat(252)}.pdf`, 'name-too-long'],
  [`${'😀'.repeat(126)}.pdf`, 'name-too-long'],
];

describe('file names, interface section 8 (F21, F23, F24)', () => {
  it.each([
    ['a/b.pdf', 'contains a slash,'],
    ['a\\b.pdf', 'contains a backslash,'],
    ['a', 'no extension, so the service cannot tell its type; it accepts pdf,'],
    ['a.\u001b[2j', /files of type \\x1b\[2j; it accepts pdf,/],
    ['a.b.pdf', /2 dots.*accepts only one.*names: rewrite.*in your configuration/],
  ])('says what is wrong with %j', (name, words) => {
    expect(judgeName(name, 'reject')).toMatchObject({ message: expect.stringMatching(words) });
  });

  it.each(broken)('refuses %j as %s', (name, code) => {
    expect(judgeName(name, 'reject')).toMatchObject({ kind: 'unfit', code });
  });

  it.each(documentTypes.flatMap((type) => [`a.${type}`, `a.${type.toUpperCase()}`]))('takes %s', (name) => {
    expect(judgeName(name, 'reject')).toEqual({ kind: 'fit', name });
  });

  it('takes 255 characters exactly', () => {
    expect(judgeName(`${'x'.repeat(251)}.pdf`, 'reject').kind).toBe('fit');
  });

  it('gives the name in NFC', () => {
    expect(judgeName('cafe\u0301.pdf', 'reject')).toEqual({ kind: 'fit', name: 'caf\u00e9.pdf' });
  });

  it('turns extra dots into underscores where rewriting is allowed', () => {
    expect(judgeName('q3.final.v2.pdf', 'rewrite')).toEqual({ kind: 'fit', name: 'q3_final_v2.pdf' });
  });

  it('does not rewrite what no dot can fix', () => {
    expect(judgeName('a\\b.c.pdf', 'rewrite')).toMatchObject({ code: 'forbidden-character' });
    expect(judgeName('a.b.exe', 'rewrite')).toMatchObject({ code: 'unsupported-type' });
  });

  it('takes the eighteen types of interface 4.8', () => {
    const types = 'pdf html htm txt doc docx xls xlsx ppt pptx msg eml csv xlsb xlsm one tsv ods'.split(' ');
    expect([...documentTypes].toSorted()).toEqual(types.toSorted());
  });

  it('knows the type in every case, whatever the locale', () => {
    expect([isDocumentType('A.PDF'), isDocumentType('a.TXT'), isDocumentType('a.Ini')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('counts the size limit in bytes, to the byte', () => {
    expect(judgeSize(100, 100)).toBeNull();
    expect(judgeSize(101, 100)).toMatchObject({ code: 'too-large' });
  });

  it('gives a fitting name exactly one dot, at most 255 units and a known type, for any name at all', () => {
    assert(
      property(
        string({ unit: 'binary', maxLength: 300 }),
        constantFrom('reject', 'rewrite'),
        (name, names) => {
          const verdict = judgeName(name, names);
          if (verdict.kind === 'unfit') return;
          expect(verdict.name.split('.')).toHaveLength(2);
          expect(verdict.name.length).toBeLessThanOrEqual(255);
          expect(isDocumentType(verdict.name)).toBe(true);
          expect(verdict.name).not.toMatch(/[/\\]/);
        },
      ),
    );
  });

  it('keeps type and length when it rewrites, and does nothing the second time', () => {
    assert(
      property(string(), (name) => {
        const once = rewriteName(name);
        expect(once).toHaveLength(name.length);
        expect(extensionOf(once)).toBe(extensionOf(name));
        expect(rewriteName(once)).toBe(once);
      }),
    );
  });

  it('splits a name into stem and extension', () => {
    expect([stemOf('a.b.pdf'), stemOf('a'), extensionOf('a.b.PDF')]).toEqual(['a.b', 'a', 'pdf']);
  });
});
