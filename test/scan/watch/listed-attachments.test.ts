import { rename, writeFile } from 'node:fs/promises';
import { afterEach, expect, it, jest } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { folderWorld } from '../support/folder-world.ts';
import type { FolderWorld } from '../support/folder-world.ts';

jest.setTimeout(90_000);
const patience = { withinMs: 60_000 };

let world: FolderWorld;
afterEach(() => world.close());

/** What the last scan of its directory says of a document. */
function fingerprint(): string | undefined {
  const found = world.scans.filter(({ directory }) => directory === '').at(-1);
  return found?.entries.find(({ name }) => name === 'b.txt')?.fingerprint;
}

const edit = (path: string) => writeFile(world.join(path), 'edited');

it.each<readonly [string, string, (path: string) => Promise<unknown>]>([
  ['edited below its own directory of attachments', 'b.txt.attachments/sub/y.csv', edit],
  ['edited in a directory of attachments without a document', 'data.attachments/y.csv', edit],
  ['edited in that of a document elsewhere', 'q/a.txt.attachments/y.csv', edit],
  ['edited elsewhere below one without a document', 'q/data.attachments/r/s/y.csv', edit],
  [
    'moved away with its directory, below one of attachments',
    'q/data.attachments/r/s/y.csv',
    () => rename(world.join('q/data.attachments/r'), world.join('q/data.attachments/away')),
  ],
  [
    'moved away with a directory of documents',
    'q/r/s/y.csv',
    () => rename(world.join('q/r'), world.join('q/away')),
  ],
])('F54: what a sidecar lists counts, and is seen when it is %s', async (_, path, change) => {
  world = await folderWorld({
    before: async (folder) => {
      await folder.write('b.txt', 'b');
      await folder.write('b.txt.meta.json', JSON.stringify({ attachments: [path] }));
      await folder.write('q/a.txt', 'a');
      await folder.write(path, 'y');
    },
  });
  await world.document('b.txt');
  const before = fingerprint();
  expect(world.port.health().attached).toBe(1);
  await change(path);
  await eventually(() => fingerprint() !== before, patience);
});

it('is listed again, as is known before the inspection is answered that learned what a document was sent with', async () => {
  world = await folderWorld({
    before: async (folder) => {
      await folder.write('b.txt', 'b');
      await folder.write('x.txt', 'x');
    },
  });
  await world.document('b.txt');
  await eventually(() => !world.port.health().busy, patience);
  await world.port.inspect('b.txt', ['x.txt']);
  expect(world.port.health().busy).toBe(true);
  await eventually(() => world.port.health().attached === 1, patience);
});
