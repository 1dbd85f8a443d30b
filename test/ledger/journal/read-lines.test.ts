import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

import { readLines } from '../../../src/ledger/journal/read-lines.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';

const KB = 1024;
const folder = folderOfEachTest();

describe('a file in blocks of lines', () => {
  const files: readonly (readonly [string, readonly number[]])[] = [
    ['nothing', []],
    ['short lines', Array.from({ length: 60_000 }, (_, index) => index % 40)],
    ['lines that just fill a block', [64 * KB - 1, 64 * KB - 1, 64 * KB, 7]],
    ['lines longer than a block', [10, 1_000 * KB, 0, 70 * KB, 3, 300 * KB]],
  ];

  it.each(files)('is whole, each block ends with a line and knows its place: %s', async (_name, lengths) => {
    const text = lengths.map((length, line) => `${String(line % 10).repeat(length)}\n`).join('');
    for (const content of [text, `${text}unfinished`]) {
      await writeFile(folder.join('file'), content);
      let read = '';
      for await (const { bytes, offset } of readLines(folder.join('file'))) {
        expect(offset).toBe(read.length);
        expect(read === '' || read.endsWith('\n')).toBe(true);
        read += bytes.toString();
      }
      expect(read === content).toBe(true);
    }
  });
});
