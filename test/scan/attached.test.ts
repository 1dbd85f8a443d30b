import { afterEach, expect, it } from '@jest/globals';
import { unlink } from 'node:fs/promises';
import { eventually } from '../support/eventually.ts';
import { folderWorld } from './folder-world.ts';
import type { FolderWorld } from './folder-world.ts';

let world: FolderWorld;
afterEach(() => world.close());

it('the health of a folder counts the files that are attachments', async () => {
  world = await folderWorld({
    before: async (folder) => {
      await folder.write('a.pdf', 'a');
      await folder.write('a.pdf.attachments/x.csv', 'x');
      await folder.write('a.pdf.attachments/y.csv', 'y');
      await folder.write('b.pdf', 'b');
      await folder.write('b.pdf.meta.json', '{"attachments": ["figures/z.csv"]}');
      await folder.write('figures/z.csv', 'z');
    },
  });
  await eventually(() => world.port.health().attached === 3);
  await unlink(world.join('a.pdf.attachments', 'x.csv'));
  await eventually(() => world.port.health().attached === 2);
  expect(world.port.health().reasons).toEqual([]);
});
