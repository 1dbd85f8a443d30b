import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { documentTypes } from '../../src/model/names-and-types.ts';

const folder = 'fixtures/documents';
const maxBytes = 30 * 1024;
const compound = 'd0cf11e0a1b11ae1';
const zip = '504b0304';

/** What a file of a type begins with; types that are not named are text. */
const beginnings: Readonly<Record<string, string>> = {
  pdf: Buffer.from('%PDF-').toString('hex'),
  doc: compound,
  xls: compound,
  ppt: compound,
  msg: compound,
  docx: zip,
  xlsx: zip,
  pptx: zip,
  xlsb: zip,
  xlsm: zip,
  ods: zip,
  one: 'e4525c7b8cd8a74daeb15378d02996d3',
};

describe('the real documents', () => {
  it('are of every type that the service takes, and of no other', async () => {
    const types = (await readdir(folder)).map((name) => name.split('.').at(-1));
    expect(new Set(types)).toEqual(new Set(documentTypes));
  });

  it('are small and are what their names say', async () => {
    for (const name of await readdir(folder)) {
      const bytes = await readFile(join(folder, name));
      const beginning = beginnings[name.split('.').at(-1) ?? ''];
      expect([name, bytes.length > 0 && bytes.length <= maxBytes]).toEqual([name, true]);
      if (beginning === undefined)
        expect([name, bytes.includes(0) || bytes.toString().includes('\u{fffd}')]).toEqual([name, false]);
      else expect([name, bytes.toString('hex').startsWith(beginning)]).toEqual([name, true]);
    }
  });
});
