import {
  appendFileSync,
  openSync,
  closeSync,
  ftruncateSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

import type { SeededRandom } from '../seeded-random.ts';

/** Writes new content into a file in one of the ways in which programs save, faults F2 to F10. */
export function saveAsProgramsDo(file: string, content: Buffer, random: SeededRandom): string {
  const way = random.pick([...ways.keys()]);
  ways.get(way)?.(file, content);
  return way;
}

/**
 * Writes a whole new content, as programs do; with some the file is gone for a moment, which ends before this returns.
 */
export function saveWhole(file: string, content: string, random: SeededRandom): void {
  const bytes = Buffer.from(content);
  const way = random.pick([
    'in place',
    'rename over',
    'vim',
    'word',
    'unlink and make again',
    'gone',
  ] as const);
  if (way !== 'gone') return ways.get(way)?.(file, bytes);
  rmSync(file);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, goneMs);
  writeFileSync(file, bytes);
}

/** As with Word; well below the grace period of the soak. */
const goneMs = 50;

const ways: ReadonlyMap<string, (file: string, content: Buffer) => void> = new Map([
  ['in place', (file, content) => writeFileSync(file, content)],
  ['append', (file, content) => appendFileSync(file, content)],
  [
    'overwrite the beginning',
    (file, content) => {
      const handle = openSync(file, 'r+');
      writeSync(handle, content.subarray(0, 10), 0);
      closeSync(handle);
    },
  ],
  [
    'cut',
    (file, content) => {
      const handle = openSync(file, 'r+');
      ftruncateSync(handle, 1 + (content.length % 20));
      closeSync(handle);
    },
  ],
  [
    'rename over',
    (file, content) => {
      const temporary = join(dirname(file), `.${basename(file)}.Xa93kd`);
      writeFileSync(temporary, content);
      renameSync(temporary, file);
    },
  ],
  [
    'vim',
    (file, content) => {
      writeFileSync(join(dirname(file), '4913'), '');
      rmSync(join(dirname(file), '4913'));
      renameSync(file, `${file}~`);
      writeFileSync(file, content);
      rmSync(`${file}~`);
    },
  ],
  [
    'word',
    (file, content) => {
      const temporary = join(dirname(file), '~WRD0001.tmp');
      const old = join(dirname(file), '~WRL0002.tmp');
      writeFileSync(temporary, content);
      renameSync(file, old);
      renameSync(temporary, file);
      rmSync(old);
    },
  ],
  [
    'emacs, by link',
    (file, content) => {
      linkSync(file, `${file}~`);
      rmSync(file);
      writeFileSync(file, content);
      rmSync(`${file}~`);
    },
  ],
  [
    'unlink and make again',
    (file, content) => {
      rmSync(file);
      writeFileSync(file, content);
    },
  ],
  // Only the time is new: no request should follow.
  ['touch', (file) => writeFileSync(file, readFileSync(file))],
]);
