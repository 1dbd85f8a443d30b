import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { printable, printableJson } from '../../src/lib/text/printable.ts';

describe('printable text', () => {
  it('keeps what people write', () => {
    const text = 'Ärger – 報告 🎉 "a\\b" العربية';
    expect(printable(text)).toBe(text);
  });

  it('never holds what a terminal obeys', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(
          /[\p{Cc}\p{Cs}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/u,
        );
      }),
    );
  });

  it('is the same when it is made twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(printable(text))).toBe(printable(text));
      }),
    );
  });
});

describe('printable JSON', () => {
  it('is the same value, and never holds what a terminal obeys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const plain = JSON.stringify(value);
        const json = printableJson(plain);
        expect(JSON.parse(json)).toEqual(JSON.parse(plain));
        expect(json).not.toMatch(/[\p{Cc}\p{Cs}\u061C\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/u);
      }),
    );
  });
});
