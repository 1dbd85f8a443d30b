import { mkdir, writeFile } from 'node:fs/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { binRules } from '../../../src/scan/rules/bins.ts';
import { folderWorld } from '../support/folder-world.ts';
import type { FolderWorld } from '../support/folder-world.ts';

const bins = [
  '#recycle',
  '@Recycle',
  '$RECYCLE.BIN',
  '$Recycle.Bin',
  '.Trash-1000',
  '#snapshot',
  '@eaDir',
  'System Volume Information',
  'lost+found',
];

let world: FolderWorld | undefined;
afterEach(() => world?.close());

async function folderWith(files: Readonly<Record<string, string>>, ignore: readonly string[] = []) {
  world = await folderWorld({
    settings: { ignore },
    before: async (folder) => {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(folder.join(path.slice(0, path.lastIndexOf('/'))), { recursive: true });
        await writeFile(folder.join(path), content);
      }
    },
  });
  return world;
}

describe('bins and system directories of desktops and file servers (A8)', () => {
  it('hold no documents, wherever they are', async () => {
    const inBins = bins.flatMap((bin) => [`${bin}/a.txt`, `x/${bin}/deep/a.txt`]);
    const { documents, skips } = await folderWith(
      Object.fromEntries(['x/a.txt', 'recycle/a.txt', ...inBins].map((path) => [path, 'text'])),
    );
    expect([documents(), skips()]).toEqual([['recycle/a.txt', 'x/a.txt'], []]);
  });

  it('say which list ignores them', () => {
    expect(binRules.judge('x/@Recycle', true)).toEqual({
      pattern: '@Recycle',
      place: "ingestd's own list of bins and system directories",
    });
    expect(binRules.judge('x/@Recycle', false)).toBeNull();
  });

  it.each([
    ['the configuration', ['!@Recycle', '!#snapshot/'], {}],
    ['an ignore file', [], { 'x/.ingestignore': '!@Recycle\n!#snapshot/' }],
  ])('are taken back by a pattern in %s', async (_, ignore, files) => {
    const { documents } = await folderWith(
      { ...files, 'x/@Recycle/a.txt': 'text', 'x/#snapshot/b.txt': 'text', 'x/@eaDir/c.txt': 'text' },
      ignore,
    );
    expect(documents()).toEqual(['x/#snapshot/b.txt', 'x/@Recycle/a.txt']);
  });
});
