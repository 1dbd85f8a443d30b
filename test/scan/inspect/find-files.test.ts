import { link, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { lstatSync } from 'node:fs';

import { afterEach, expect, it } from '@jest/globals';

import { statOf } from '../../../src/scan/rules/entry.ts';
import { servedFolder } from './served-folder.ts';
import type { ServedFolder } from './served-folder.ts';

let folder: ServedFolder;

afterEach(() => folder.remove());

const identity = (path: string) => statOf(lstatSync(folder.join(path)));

async function found(...paths: readonly string[]) {
  const { files, unreadable } =
    (await folder.ask('find', { files: paths.map(identity), directories: null })) ?? {};
  return { files: files?.map(({ path }) => path).sort(), unreadable };
}

it('a file is found by its identity in every directory that is listed, whatever rules say of it', async () => {
  folder = await servedFolder({ settings: { ignore: ['*.old', 'drafts/'] }, excluded: 'state' });
  await folder.write('deep/er/a.pdf', 'a');
  await folder.write('b.old', 'b');
  await folder.write('c.pdf', 'c');
  for (const place of ['x.pdf.attachments', 'state', 'drafts', 'drafts/below', '.trash', '.Trash-1000']) {
    await mkdir(folder.join(place));
    await link(folder.join('deep/er/a.pdf'), folder.join(`${place}/again.pdf`));
  }
  await symlink('deep', folder.join('linked'));
  expect(await found('deep/er/a.pdf', 'b.old')).toEqual({
    files: ['b.old', 'deep/er/a.pdf', 'x.pdf.attachments/again.pdf'],
    unreadable: [],
  });
});

it('a new file with the inode number of a missing one is not that one', async () => {
  folder = await servedFolder();
  await folder.write('a.pdf', 'a');
  const { ino, dev, birthtimeMs } = identity('a.pdf');
  const ask = (birth: number) =>
    folder.ask('find', { files: [{ ino, dev, birthtimeMs: birth }], directories: null });
  expect((await ask(birthtimeMs))?.files).toHaveLength(1);
  expect((await ask(birthtimeMs - 1))?.files).toEqual([]);
});

it('a directory with a name that is not UTF-8 hides what is in it, and says since when it may', async () => {
  folder = await servedFolder();
  await folder.write('d/a.pdf', 'a');
  const bytes = Buffer.concat([Buffer.from(`${folder.path}/d/`), Buffer.of(0xe9)]);
  await mkdir(bytes);
  await writeFile(Buffer.concat([bytes, Buffer.from('/in.pdf')]), 'x');
  const { ctimeMs } = lstatSync(folder.join('d'));
  const { unreadable } = await found('d/a.pdf');
  expect(unreadable).toEqual([{ path: 'd', changedMs: ctimeMs, movedMs: ctimeMs }]);
});

it('one that moved as a part of another directory may have come with that one', async () => {
  folder = await servedFolder();
  await folder.write('old/d/a.pdf', 'a');
  await mkdir(Buffer.concat([Buffer.from(`${folder.path}/old/d/`), Buffer.of(0xe9)]));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await rename(folder.join('old'), folder.join('new'));
  const { unreadable } = await found('new/d/a.pdf');
  expect(unreadable).toEqual([
    {
      path: 'new/d',
      changedMs: lstatSync(folder.join('new/d')).ctimeMs,
      movedMs: lstatSync(folder.join('new')).ctimeMs,
    },
  ]);
});

it('nothing is said of a folder that cannot be read', async () => {
  folder = await servedFolder();
  await folder.write('a.pdf', 'a');
  const wanted = [identity('a.pdf')];
  await rename(folder.path, `${folder.path}-away`);
  expect(await folder.ask('find', { files: wanted, directories: null })).toBeNull();
  await rename(`${folder.path}-away`, folder.path);
  expect((await folder.ask('find', { files: wanted, directories: null }))?.files).toHaveLength(1);
});

it('is looked for in some directories only where it is asked so, whatever rules say of it', async () => {
  folder = await servedFolder({ settings: { ignore: ['*.old'] } });
  await folder.write('a/x.old', 'x');
  await folder.write('b/y.old', 'y');
  await folder.write('a/below/z.old', 'z');
  const files = ['a/x.old', 'b/y.old', 'a/below/z.old'].map(identity);
  const found = await folder.ask('find', { files, directories: ['a'] });
  expect(found?.files.map(({ path }) => path)).toEqual(['a/x.old']);
});
