import { describe, expect, it } from '@jest/globals';
import { parse } from 'dotenv';
import * as fc from 'fast-check';
import { mergeEnvironmentFile } from '../../src/config/environment/environment-file.ts';

describe('setting variables in a .env', () => {
  it('leaves everything else as it is', () => {
    const before = '# mine\nOTHER="two\nlines"\nINGESTD_PASSWORD=old\nexport LAST=1';
    const { text, replaces } = mergeEnvironmentFile(before, { INGESTD_PASSWORD: 'new one' });
    expect(text).toBe('# mine\nOTHER="two\nlines"\nexport LAST=1\nINGESTD_PASSWORD=\'new one\'\n');
    expect(replaces).toBe(true);
  });

  it('replaces nothing where nothing was set, or the same', () => {
    expect(mergeEnvironmentFile('A=1\nB=\n', { A: '1', B: 'x', C: 'y' }).replaces).toBe(false);
  });

  it('gives back what was put in, whatever it is', () => {
    const value = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => !/[\r\0]/.test(text));
    fc.assert(
      fc.property(value, (secret) => {
        let merged: string;
        try {
          merged = mergeEnvironmentFile('X=1\n', { INGESTD_PASSWORD: secret }).text;
        } catch {
          // Every kind of quote in one value: refused in words.
          return;
        }
        expect(parse(merged)).toEqual({ X: '1', INGESTD_PASSWORD: secret });
      }),
    );
  });

  it('refuses a value that no quotes can hold', () => {
    expect(() => mergeEnvironmentFile('', { INGESTD_PASSWORD: `a'b"c\`d #e` })).toThrow(
      'INGESTD_PASSWORD_FILE',
    );
  });
});
