import { chmod, mkdir } from 'node:fs/promises';

import { describe, expect, it } from '@jest/globals';
import { parse } from 'dotenv';
import * as fc from 'fast-check';

import { mergeEnvironmentFile, readEnvironmentFile } from '../../src/config/environment/environment-file.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

describe('the .env beside the configuration', () => {
  const folder = folderOfEachTest();
  const read = async (text: string | Uint8Array) => {
    await chmod(await folder.write('.env', text), 0o600);
    return readEnvironmentFile(folder.path, {});
  };

  it('is refused where it is not UTF-8', async () => {
    await expect(read(Buffer.from('\uFEFFINGESTD_PASSWORD=a', 'utf16le'))).rejects.toThrow(
      'save it as UTF-8',
    );
    await expect(read(Buffer.from('INGESTD_PASSWORD=ä', 'latin1'))).rejects.toThrow('save it as UTF-8');
  });

  it('S3: is warned of when others can read it', async () => {
    const file = await folder.write('.env', 'INGESTD_PASSWORD=x\n');
    await chmod(file, 0o644);
    const { warnings } = await readEnvironmentFile(folder.path, {});
    expect(warnings).toEqual([`${file} can be read by others (mode 0644); run chmod 600 ${file}`]);
  });

  it('is warned of where it is a directory, as Docker makes one for a file that is missing', async () => {
    await mkdir(folder.join('.env'));
    const { warnings } = await readEnvironmentFile(folder.path, {});
    expect(warnings).toEqual([
      `${folder.join('.env')} is a directory, so no settings were read from it; replace it with a file or remove it`,
    ]);
  });
});

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
