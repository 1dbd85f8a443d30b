import { chmod, link, mkdir, rename, rm, rmdir, symlink, writeFile } from 'node:fs/promises';
import { lstatSync } from 'node:fs';

import { afterEach, expect, it } from '@jest/globals';

import { statOf } from '../../../src/scan/rules/entry.ts';
import { servedFolder } from './served-folder.ts';
import type { ServedFolder } from './served-folder.ts';

let folder: ServedFolder;

afterEach(() => folder.remove());

const identity = (path: string) => statOf(lstatSync(folder.join(path)));

/** A folder with these files, scanned. */
async function scanned(...paths: readonly string[]): Promise<void> {
  folder = await servedFolder();
  for (const path of paths) await folder.write(path, path);
  await folder.scan();
}

async function found(...paths: readonly string[]) {
  await folder.scan();
  const { files, unreadable } = (await folder.ask('find', paths.map(identity))) ?? {};
  return { files: files?.map(({ path }) => path).sort(), unreadable };
}

it('a file is found by its identity in every directory that is listed, whatever rules say of it', async () => {
  folder = await servedFolder({ settings: { ignore: ['*.old', 'drafts/'] }, excluded: 'state' });
  await folder.write('deep/er/a.pdf', 'a');
  await folder.write('b.old', 'b');
  await folder.write('c.pdf', 'c');
  const unlisted = ['state', 'drafts', 'drafts/below', '.trash', '.Trash-1000'];
  for (const place of ['c.pdf.attachments', 'without.pdf.attachments', ...unlisted]) {
    await mkdir(folder.join(place));
    await link(folder.join('deep/er/a.pdf'), folder.join(`${place}/again.pdf`));
  }
  await symlink('deep', folder.join('linked'));
  expect(await found('deep/er/a.pdf', 'b.old')).toEqual({
    files: ['b.old', 'c.pdf.attachments/again.pdf', 'deep/er/a.pdf', 'without.pdf.attachments/again.pdf'],
    unreadable: [],
  });
});

it.each(['', 'b.pdf.attachments/'])(
  'is found by its bytes where its name is not UTF-8: in %j',
  async (place) => {
    await scanned('a.pdf', 'b.pdf', 'b.pdf.attachments/c.csv');
    const bytes = Buffer.concat([Buffer.from(`${folder.path}/${place}`), Buffer.of(0xe9)]);
    await rename(folder.join('a.pdf'), bytes);
    await folder.scan();
    const found = await folder.ask('find', [statOf(lstatSync(bytes))]);
    expect(found?.files).toMatchObject([{ path: `${place}\uFFFD`, isNamed: false }]);
  },
);

it('what has come to a directory since it was listed, without an event, is found there; a new directory is named', async () => {
  folder = await servedFolder({ settings: { ignore: ['drafts'] } });
  for (const path of ['a.pdf', 'deep/er/b.pdf', 'c.pdf']) await folder.write(path, path);
  await mkdir(folder.join('deep/er/b.pdf.attachments'));
  await folder.scan();
  const files = ['a.pdf', 'c.pdf'].map(identity);
  await rename(folder.join('a.pdf'), folder.join('deep/er/b.pdf.attachments/a.pdf'));
  await mkdir(folder.join('deep/new'));
  await mkdir(folder.join('deep/er/drafts'));
  await rename(folder.join('c.pdf'), folder.join('deep/new/c.pdf'));
  const moved = { path: 'deep/er/b.pdf.attachments/a.pdf' };
  expect(await folder.ask('find', files)).toMatchObject({ files: [moved], unlisted: ['deep'] });
  await folder.scan();
  await folder.write('new.pdf', 'new');
  const unknown = [identity('new.pdf')];
  expect(await folder.ask('find', unknown)).toMatchObject({ files: [{ path: 'new.pdf' }] });
  const both = { files: [moved, { path: 'deep/new/c.pdf' }], unlisted: [] };
  expect(await folder.ask('find', files)).toMatchObject(both);
});

it('what left a directory after it was listed is not found there', async () => {
  await scanned('a.pdf', 'b/c.pdf');
  const files = ['a.pdf', 'b/c.pdf'].map(identity);
  await rm(folder.join('a.pdf'));
  await rm(folder.join('b'), { recursive: true });
  expect(await folder.ask('find', files)).toEqual({
    files: [],
    unreadable: [],
    unlisted: [],
    look: expect.any(Number) as unknown,
  });
});

it('of no files it says what the directories look like: the same until one changes, as of the last search', async () => {
  await scanned('a.pdf', 'b/c.pdf');
  const files = [identity('a.pdf')];
  const look = async (wanted = files) => (await folder.ask('find', wanted))?.look;
  const first = await look();
  expect(await look([])).toBe(first);
  await folder.write('b/d.pdf', 'd');
  const second = await look([]);
  expect(second).not.toBe(first);
  expect(await look()).toBe(second);
  await folder.scan();
  expect(await look([])).toBe(second);
});

it.each<readonly [string, (birthtimeMs: number) => number, number]>([
  ['of its own', (own) => own, 1],
  ['that is not known', () => 0, 1],
  ['of another file, which had its inode number', (own) => own - 1, 0],
])('is found by its inode number and a birth time %s', async (_, birthOf, count) => {
  await scanned('a.pdf');
  const file = identity('a.pdf');
  const files = [{ ...file, birthtimeMs: birthOf(file.birthtimeMs) }];
  expect((await folder.ask('find', files))?.files).toHaveLength(count);
});

it.each<readonly [string, () => Promise<unknown>, boolean]>([
  ['nothing happens', () => Promise.resolve(), true],
  ['a file comes to a directory above it', () => folder.write('top/b.pdf', 'b'), true],
  ['something comes to it', () => folder.write('top/d/b.pdf', 'b'), false],
  ['something comes to what it hides', () => writeFile(closed('b.pdf'), 'b'), false],
  ['its rights change', () => chmod(folder.join('top/d'), 0o700), false],
  ['it comes as a part of another directory', inAnother, false],
])(
  'a directory with a name that is not UTF-8 in it may hide a file; where %s, it looks as before',
  async (...row) => {
    const [, happens, isAsBefore] = row;
    folder = await servedFolder();
    await folder.write('top/d/a.pdf', 'a');
    const bytes = Buffer.concat([Buffer.from(`${folder.path}/top/d/`), Buffer.of(0xe9)]);
    await mkdir(bytes);
    await writeFile(Buffer.concat([bytes, Buffer.from('/in.pdf')]), 'x');
    const before = (await found('top/d/a.pdf')).unreadable;
    await happens();
    const after = (await found('top/d/a.pdf')).unreadable;
    expect([before, after].map((all) => all?.map(({ path }) => path))).toEqual([['top/d'], ['top/d']]);
    expect(before?.[0]?.look === after?.[0]?.look).toBe(isAsBefore);
  },
);

/** In a directory whose name is not UTF-8. */
function closed(name: string): Buffer {
  return Buffer.concat([Buffer.from(folder.join('top/d/')), Buffer.of(0xe9), Buffer.from(`/${name}`)]);
}

async function inAnother(): Promise<void> {
  await mkdir(folder.join('new'));
  await rename(folder.join('top/d'), folder.join('new/d'));
  await rename(folder.join('top'), folder.join('old'));
  await rename(folder.join('new'), folder.join('top'));
}

it('nothing is said of a folder that is away or another one, and not all of one whose ignore file is not valid', async () => {
  await scanned('a.pdf');
  const wanted = [identity('a.pdf')];
  await rename(folder.path, `${folder.path}-away`);
  expect(await folder.ask('find', wanted)).toBeNull();
  await rename(`${folder.path}-away`, folder.path);
  expect((await folder.ask('find', wanted))?.files).toHaveLength(1);
  await rename(folder.path, `${folder.path}-away`);
  await mkdir(folder.path);
  expect(await folder.ask('find', wanted)).toMatchObject({ files: [], unlisted: [''] });
  await rmdir(folder.path);
  await rename(`${folder.path}-away`, folder.path);
  await folder.write('.ingestignore', Buffer.of(0xff, 0xfe));
  await folder.scan();
  // What stands there is seen, and that more may.
  const seen = { files: [{ path: 'a.pdf' }], unreadable: [{ path: '' }], unlisted: [] };
  expect(await folder.ask('find', wanted)).toMatchObject(seen);
});
