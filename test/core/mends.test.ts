import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { explain, mendFor } from '../../src/core/mends.ts';

describe('the mends', () => {
  it.each([
    ['double-extension', /names: rewrite/],
    ['credentials-refused', /ingestd auth login/],
    ['http-418', /retry/],
    ['http-503', /by itself/],
    ['response-timeout', /by itself/],
  ])('say for %s what to do', (code, words) => {
    expect(mendFor(code)).toMatch(words);
  });

  it('have a heading and a sentence for every code, however strange', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', '')),
        (code) => {
          const { cause, mend } = explain(code);
          expect(cause).not.toBe('');
          expect(mend).toMatch(/\S.*[.a-z0-9]$/);
        },
      ),
    );
  });

  it('tell a person who sees a code that nobody explained the code itself in words', () => {
    expect(explain('some-new-code').cause).toBe('Some new code');
  });
});
