import { chmod, mkdir } from 'node:fs/promises';

import { describe, expect, it } from '@jest/globals';
import { parse } from 'dotenv';
import * as fc from 'fast-check';

import { mergeEnvironmentFile, readEnvironmentFile } from '../../src/config/environment/environment-file.ts';
import { findSurprises } from '../../src/config/environment/find-surprises.ts';
import { correctionAdvice } from '../../src/config/secrets/correction-advice.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

describe('the .env beside the configuration', () => {
  const folder = folderOfEachTest();
  const read = async (text: string | Uint8Array) => {
    await chmod(await folder.write('.env', text), 0o600);
    return readEnvironmentFile(folder.path, {});
  };

  it.each([
    ['a value that is cut', 'hunter2#rest'],
    ['a value that is a comment', '#hunter2'],
    ['what looks like one word of a text', 'hunter2 #rest'],
    ['half a quote, and a cut', '"hunter2#rest'],
    ['half a quote', "'hunter2"],
    ['text after a quote', "'hunter2'rest"],
    ['typographic quotes', '“hunter2”'],
    ['a line break', String.raw`"hunter2\next"`],
    ['a quote that is escaped', String.raw`"hunter2\"rest"`],
    ['a quote that ends in another line', "'hunter2\nUSERNAME='"],
  ])('says of %s which line and variable it is, and the fix, not the value', async (_name, value) => {
    const { warnings, file } = await read(`# mine\r\nexport INGESTD_PASSWORD=${value}\n`);
    expect(warnings).toEqual([expect.stringContaining('put all of the value in single quotes')]);
    expect(warnings[0]).toMatch(`${file}:2: INGESTD_PASSWORD is not read as it stands here`);
    expect(warnings[0]).not.toContain('hunter2');
  });

  it('says of a value that does not count that another line sets it', async () => {
    const { warnings, file, values } = await read('INGESTD_USERNAME=a\n\nINGESTD_USERNAME=b\n');
    expect(values).toEqual({ INGESTD_USERNAME: 'b' });
    expect(warnings).toEqual([expect.stringContaining('or of another line that sets it')]);
    expect(warnings[0]).toMatch(`${file}:1: INGESTD_USERNAME is not read as it stands here`);
  });

  it('says nothing of what is read as it stands, nor of what others use', async () => {
    const text = [
      '# INGESTD_PASSWORD=old',
      'INGESTD_PASSWORD=\'a#b $c "d" ${E}\' # a comment',
      'INGESTD_API_KEY=abc  ## of the trial',
      'export INGESTD_CLIENT_ID=a=b\'c"d`e$f',
      'INGESTD_USERNAME: me@example.com',
      '   # for all',
      'OTHER=a#b',
      'OTHER="two\nlines"',
    ];
    expect((await read(text.join('\r\n'))).warnings).toEqual([]);
  });

  it('is said where the service refuses the credentials', async () => {
    const environmentFile = await read(
      'INGESTD_USERNAME=a\nINGESTD_PASSWORD=hunter2#rest\nINGESTD_HTTP_TOKEN=a#b\n',
    );
    const advice = await correctionAdvice({ env: {}, environmentFile, cwd: folder.path });
    expect(advice).toContain(`. ${environmentFile.file}:2: INGESTD_PASSWORD is not read`);
    expect(advice).not.toMatch(/hunter2|HTTP_TOKEN/);
  });

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

  it('gives a value as it stands in its line, or says something of it', () => {
    const character = fc.constantFrom(...Array.from('\'"`#$\\{}nab =:!\t“'));
    const value = fc
      .string({ unit: character, minLength: 1, maxLength: 8 })
      // A plain comment, quotes around it all, and a comment behind those are meant.
      .filter((text) => !/\s#+(\s|$)/.test(` ${text}`) && !/^\s*(['"`]).*\1(\s+#.*|\s*)$/.test(text));
    fc.assert(
      fc.property(value, (text) => {
        const line = `INGESTD_PASSWORD=${text}\nINGESTD_USERNAME=b\n`;
        if (findSurprises(line).length > 0) return;
        expect(parse(line)).toEqual({ INGESTD_PASSWORD: text.trim(), INGESTD_USERNAME: 'b' });
      }),
      { numRuns: 3_000 },
    );
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
