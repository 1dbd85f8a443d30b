import { copyFile, rename, rm, symlink, truncate } from 'node:fs/promises';

import { beforeEach, expect, it } from '@jest/globals';

import { syncedFolder } from '../../scan/support/synced-folder.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const world = ofEachTest(() => syncedFolder());

beforeEach(async () => {
  await world.inbox.write('sub/a.txt', 'one');
  await world.inbox.write('z.txt', 'another');
  await world.sync();
});

const at = (path: string) => world.inbox.join(path);

/** What takes a document out of the list of documents, while its file, or what it was, stays where it is. */
const ways: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['is ignored', () => world.inbox.write('.ingestignore', 'a.txt')],
  ['lies in an ignored directory', () => world.inbox.write('.ingestignore', 'sub/')],
  ['is an attachment by now', () => world.inbox.write('z.txt.meta.json', '{"attachments": ["sub/a.txt"]}')],
  ['is empty by now', () => truncate(at('sub/a.txt'))],
  [
    'is a link by now',
    async () => {
      await rename(at('sub/a.txt'), world.home.join('a.txt'));
      await symlink(world.home.join('a.txt'), at('sub/a.txt'));
    },
  ],
  [
    'lies behind a link by now',
    async () => {
      await rename(at('sub'), at('.sub'));
      await symlink('.sub', at('sub'));
    },
  ],
];

it.each(ways)(
  'I16: a copy made while nothing ran is a document of its own where the first one %s',
  async (_, leave) => {
    const [docId] = world.docIds().values();
    await copyFile(at('sub/a.txt'), world.home.join('copy'));
    await leave();
    await world.sync();
    world.service.forget();
    await copyFile(world.home.join('copy'), at('b.txt'));
    await world.restart();
    await world.sync();
    expect(world.service.calls).toContain('upload');
    await rm(at('b.txt'));
    await world.sync();
    expect(world.service.documents.has(docId ?? '')).toBe(true);
  },
);
