import {
  appendFile,
  chmod,
  copyFile,
  link,
  mkdir,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  truncate,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';

import { describe, expect, it } from '@jest/globals';

import { syncedFolder } from './support/synced-folder.ts';
import { ofAllTests } from '../support/of-each-test.ts';

const world = ofAllTests(() => syncedFolder());
let dir: string;
let last = 0;

const at = (name: string) => `${dir}/${name}`;
const pause = async (ms: number) => {
  await world.timestamp(dir);
  await world.rescan();
  await world.pass(ms);
};

/** Does the steps of a save with a scan and half a settling time after each, then lets everything come to rest. */
async function save(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const step of steps) {
    await step();
    await pause(1_000);
  }
  await world.sync();
}

/** A directory of the test's own with a document that is in sync; gives the document's docId. */
async function standing(name: string, content = 'old'): Promise<string> {
  last += 1;
  dir = world.inbox.join(`d${last}`);
  await mkdir(dir);
  await writeFile(at(name), content);
  await world.timestamp(dir);
  await world.sync();
  world.service.forget();
  return docIdOf(name);
}

const docIdOf = (name: string) => world.docIds().get(`d${last}/${name}`) ?? 'none';
/** What the service holds of the test's directory. */
const held = () =>
  Object.fromEntries(
    Object.entries(world.held())
      .filter(([path]) => path.startsWith(`d${last}/`))
      .map(([path, content]) => [path.slice(path.indexOf('/') + 1), content]),
  );
const failed = () => [...world.engine().tasks.in('failed')].map(({ ref }) => ref.path);
const skipped = () => [...world.engine().skips()].map(({ path }) => path);

/** Ways in which programs write `name` again: the steps, one by one. */
const ways: Readonly<Record<string, (name: string) => readonly (() => Promise<unknown>)[]>> = {
  'F1: a scanner that pauses': (name) => [
    () => writeFile(at(name), 'n'),
    () => appendFile(at(name), 'e'),
    () => appendFile(at(name), 'w'),
  ],
  'F2: vim': (name) => [
    () => writeFile(at(`.${name}.swp`), 'swap'),
    () => writeFile(at('4913'), ''),
    () => unlink(at('4913')),
    () => rename(at(name), at(`${name}~`)),
    () => writeFile(at(name), 'new'),
    () => unlink(at(`${name}~`)),
    () => unlink(at(`.${name}.swp`)),
  ],
  'F3: emacs': (name) => [
    () => symlink('user@host.123:456', at(`.#${name}`)),
    () => writeFile(at(`#${name}#`), 'autosave'),
    () => rename(at(name), at(`${name}~`)),
    () => writeFile(at(name), 'new'),
    () => unlink(at(`#${name}#`)),
    () => unlink(at(`.#${name}`)),
  ],
  'F4: rsync': (name) => [
    () => writeFile(at(`.${name}.a8Xk2z`), 'ne'),
    () => appendFile(at(`.${name}.a8Xk2z`), 'w'),
    () => rename(at(`.${name}.a8Xk2z`), at(name)),
  ],
  'F5: rsync --inplace, cp and scp': (name) => [
    () => truncate(at(name), 0),
    () => writeFile(at(name), 'ne'),
    () => appendFile(at(name), 'w'),
  ],
  'F6: git checkout and tar': (name) => [() => unlink(at(name)), () => writeFile(at(name), 'new')],
  'F7: Word': (name) => [
    () => writeFile(at(`~$${name.slice(2)}`), 'owner'),
    () => writeFile(at('~WRD0001.tmp'), 'new'),
    () => rename(at(name), at('~WRL0002.tmp')),
    () => rename(at('~WRD0001.tmp'), at(name)),
    () => unlink(at('~WRL0002.tmp')),
    () => unlink(at(`~$${name.slice(2)}`)),
  ],
  'F7: Excel': (name) => [
    () => writeFile(at('7C3F0000'), 'new'),
    () => rename(at(name), at('1A2B3C4D.tmp')),
    () => rename(at('7C3F0000'), at(name)),
    () => unlink(at('1A2B3C4D.tmp')),
  ],
  'F8: LibreOffice': (name) => [
    () => writeFile(at(`.~lock.${name}#`), 'lock'),
    () => writeFile(at('lu4711abc.tmp'), 'new'),
    () => copyFile(at('lu4711abc.tmp'), at(`${name}.osl-tmp`)),
    () => rename(at(`${name}.osl-tmp`), at(name)),
    () => unlink(at('lu4711abc.tmp')),
    () => unlink(at(`.~lock.${name}#`)),
  ],
  'F9: gedit': (name) => [
    () => writeFile(at('.goutputstream-XYZ123'), 'new'),
    () => rename(at('.goutputstream-XYZ123'), at(name)),
  ],
  'F9: Syncthing': (name) => [
    () => writeFile(at(`.syncthing.${name}.tmp`), 'new'),
    () => rename(at(`.syncthing.${name}.tmp`), at(name)),
  ],
  'F10: sed -i and perl -i': (name) => [
    () => writeFile(at('sedAbC123'), 'new'),
    () => rename(at('sedAbC123'), at(name)),
  ],
  'A8: a file server that keeps the old version in its bin': (name) => [
    () => mkdir(at('#recycle')),
    () => rename(at(name), at(`#recycle/${name}`)),
    () => writeFile(at(name), 'new'),
    () => copyFile(at(name), at(`#recycle/Copy #1 of ${name}`)),
  ],
  'F46: an editor that deletes and writes again within the grace': (name) => [
    () => unlink(at(name)),
    () => pause(2_000),
    () => writeFile(at(name), 'new'),
  ],
};

describe('a save is one modify of one document', () => {
  it.each(Object.keys(ways))('%s', async (way) => {
    const docId = await standing('report.docx');
    await save(ways[way]?.('report.docx') ?? []);
    expect(world.service.calls).toEqual(['modify']);
    expect([held(), docIdOf('report.docx')]).toEqual([{ 'report.docx': 'new' }, docId]);
    expect([failed(), skipped()]).toEqual([[], []]);
  });

  it.each(Object.keys(ways))('is none where the bytes are the same in the end: %s', async (way) => {
    const docId = await standing('report.docx', 'new');
    await save(ways[way]?.('report.docx') ?? []);
    expect(world.service.calls).toEqual([]);
    expect([held(), docIdOf('report.docx')]).toEqual([{ 'report.docx': 'new' }, docId]);
  });
});

describe('a download', () => {
  it.each(['crdownload', 'part', 'tmp'])('F9: is one upload under its last name: .%s', async (ending) => {
    await standing('other.txt');
    await save([
      () => writeFile(at('report.pdf'), ''),
      () => writeFile(at(`report.pdf.${ending}`), 'n'),
      () => appendFile(at(`report.pdf.${ending}`), 'ew'),
      () => rename(at(`report.pdf.${ending}`), at('report.pdf')),
    ]);
    expect([world.service.calls, held()]).toEqual([['upload'], { 'other.txt': 'old', 'report.pdf': 'new' }]);
    expect([failed(), skipped()]).toEqual([[], []]);
  });
});

describe('changes that hide', () => {
  it.each([
    ['F12: a write of the same size with the old mtime', false],
    ['F13: another file of the same size and time in its place, the inode used again,', true],
  ])('%s is a modify', async (_, isAnother) => {
    const docId = await standing('a.txt');
    const { atime, mtime } = await stat(at('a.txt'));
    await save([
      async () => {
        if (isAnother) await unlink(at('a.txt'));
        await writeFile(at('a.txt'), 'new');
        await utimes(at('a.txt'), atime, mtime);
      },
    ]);
    expect([world.service.calls, held(), docIdOf('a.txt')]).toEqual([['modify'], { 'a.txt': 'new' }, docId]);
  });

  it('F14: touch and chmod cost no request', async () => {
    await standing('a.txt');
    const now = new Date();
    await save([() => utimes(at('a.txt'), now, now), () => chmod(at('a.txt'), 0o600)]);
    expect([world.service.calls, held()]).toEqual([[], { 'a.txt': 'old' }]);
  });

  it('F25, F48: a document that becomes empty for a while is not replaced by nothing', async () => {
    await standing('a.txt');
    await save([() => truncate(at('a.txt'), 0), () => pause(20_000)]);
    expect([world.service.calls, held(), skipped()]).toEqual([[], { 'a.txt': 'old' }, [`d${last}/a.txt`]]);
    await save([() => writeFile(at('a.txt'), 'new')]);
    expect([world.service.calls, held(), skipped()]).toEqual([['modify'], { 'a.txt': 'new' }, []]);
  });
});

describe('names that change places', () => {
  it('F16: a swap leaves each path with its document and the right content', async () => {
    await standing('a.txt', 'one');
    await writeFile(at('b.txt'), 'two');
    await world.sync();
    await rename(at('a.txt'), at('t'));
    await rename(at('b.txt'), at('a.txt'));
    await rename(at('t'), at('b.txt'));
    await world.sync();
    expect(held()).toEqual({ 'a.txt': 'two', 'b.txt': 'one' });
    expect(world.service.calls.filter((call) => call === 'upload' || call === 'delete')).toEqual(['upload']);
  });

  it('F17: a file becomes a directory of the same name, and a file again', async () => {
    await standing('a.txt');
    await unlink(at('a.txt'));
    await mkdir(at('a.txt'));
    await writeFile(at('a.txt/inner.txt'), 'inner');
    await world.sync();
    expect(held()).toEqual({ 'a.txt/inner.txt': 'inner' });
    await unlink(at('a.txt/inner.txt'));
    await rmdir(at('a.txt'));
    await writeFile(at('a.txt'), 'again');
    await world.sync();
    expect(held()).toEqual({ 'a.txt': 'again' });
  });

  it('F18: a change of case keeps the docId, and both at once are two documents', async () => {
    const docId = await standing('A.txt');
    await rename(at('A.txt'), at('a.txt'));
    await world.sync();
    expect([docIdOf('a.txt'), Object.keys(held())]).toEqual([docId, ['a.txt']]);
    expect(world.service.calls).not.toContain('upload');
    await writeFile(at('A.txt'), 'other');
    await world.sync();
    expect(held()).toEqual({ 'a.txt': 'old', 'A.txt': 'other' });
  });

  it('F35: a hard link is a document of its own', async () => {
    await standing('a.txt');
    await link(at('a.txt'), at('b.txt'));
    await world.sync();
    expect(held()).toEqual({ 'a.txt': 'old', 'b.txt': 'old' });
    await rm(at('a.txt'));
    await world.sync();
    expect(held()).toEqual({ 'b.txt': 'old' });
  });
});
