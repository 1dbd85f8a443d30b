import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { decodeHash } from '../../src/ledger/decode-hash.ts';

const digits = '0123456789abcdef';

describe('hex digits of a hash', () => {
  it('become the bytes they stand for, at their place', () => {
    const hex = fc.string({
      unit: fc.nat(15).map((value) => value.toString(16)),
      minLength: 64,
      maxLength: 64,
    });
    fc.assert(
      fc.property(hex, fc.nat(8), (hex, at) => {
        const bytes = Buffer.alloc(40, 0xee);
        expect(decodeHash(hex, bytes, at)).toBe(true);
        expect(bytes.toString('hex', at, at + 32)).toBe(hex);
        expect(bytes.toString('hex', 0, at) + bytes.toString('hex', at + 32)).toBe('ee'.repeat(8));
      }),
    );
    expect(decodeHash('', Buffer.alloc(0), 0)).toBe(true);
  });

  it('are refused with any other character among them', () => {
    const codes = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    const taken = codes.filter((other) => decodeHash(`0${other}${other}f`, Buffer.alloc(2), 0));
    expect(taken.join('')).toBe(digits);
  });
});
