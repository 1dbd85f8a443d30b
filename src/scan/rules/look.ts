import { knownInode } from '../../model/document.ts';
import type { FileStat } from '../../model/document.ts';

/** What of a stat tells whether a file is as it was. */
export type Look = Pick<FileStat, 'size' | 'mtimeMs' | 'ctimeMs' | 'ino'>;

const numbers = new Float64Array(4);
const words = new Uint32Array(numbers.buffer);

/** A number of 53 bits that differs when a name or its stat does. A text for each of 1,000,000 files would take 100 MB. */
export function keyOf(name: string, { size, mtimeMs, ctimeMs, ino }: Look): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  const add = (word: number) => {
    high = Math.imul(high ^ word, 0x9e3779b1);
    low = Math.imul(low ^ word, 0x5f356495);
    high ^= high >>> 15;
    low ^= low >>> 13;
  };
  for (let index = 0; index < name.length; index += 1) add(name.charCodeAt(index));
  numbers.set([size, mtimeMs, ctimeMs, knownInode(ino)]);
  for (const word of words) add(word);
  return (high & 0x1f_ffff) * 2 ** 32 + (low >>> 0);
}
