import * as realFs from 'node:fs';
import * as realPromises from 'node:fs/promises';
import { constants } from 'node:fs';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { seededRandom } from '../soak/seeded-random.ts';
import type { SeededRandom } from '../soak/seeded-random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { MemoryDisk } from './disk/memory-disk.ts';
import { createMemoryFs } from './disk/memory-fs.ts';

type Fs = Pick<
  typeof realFs,
  | 'lstatSync'
  | 'statSync'
  | 'fstatSync'
  | 'openSync'
  | 'closeSync'
  | 'readSync'
  | 'readdirSync'
  | 'readlinkSync'
  | 'realpathSync'
  | 'existsSync'
  | 'readFileSync'
  | 'writeFileSync'
  | 'appendFileSync'
  | 'truncateSync'
  | 'mkdirSync'
  | 'rmSync'
>;
type Promises = Pick<typeof realPromises, 'rename' | 'link' | 'open' | 'copyFile'>;

interface Tried {
  readonly fs: Fs;
  readonly promises: Promises;
  readonly root: string;
}

type Operation = readonly [words: string, act: (tried: Tried) => unknown];

const names = ['a', 'b', 'd', 'd/a', 'd/b', 'd/e', 'd/e/a', 'f', 'f/a', '\u00e9', 'e\u0301'];
const tooLong = 'x'.repeat(256);

/** An operation on one or two random paths. */
function operation(random: SeededRandom): Operation {
  const one = random.pick(names);
  // Kernels do not agree on the error of a directory that is moved into itself.
  const other = random.pick(names.filter((name) => !name.startsWith(`${one}/`)));
  const any = random.pick([...names, tooLong]);
  const text = 'x'.repeat(random.below(9));
  const all: readonly Operation[] = [
    [`write ${any}`, ({ fs, root }) => fs.writeFileSync(`${root}/${any}`, text)],
    [`append ${one}`, ({ fs, root }) => fs.appendFileSync(`${root}/${one}`, text)],
    [`truncate ${one}`, ({ fs, root }) => fs.truncateSync(`${root}/${one}`, 3)],
    [`mkdir ${one}`, ({ fs, root }) => fs.mkdirSync(`${root}/${one}`)],
    [`rm ${one}`, ({ fs, root }) => fs.rmSync(`${root}/${one}`, { recursive: true })],
    [`rename ${one} ${other}`, ({ promises, root }) => promises.rename(`${root}/${one}`, `${root}/${other}`)],
    [`link ${one} ${other}`, ({ promises, root }) => promises.link(`${root}/${one}`, `${root}/${other}`)],
    [
      `copy ${one} ${other}`,
      ({ promises, root }) =>
        promises.copyFile(`${root}/${one}`, `${root}/${other}`, constants.COPYFILE_EXCL),
    ],
    [`list ${one}`, ({ fs, root }) => fs.readdirSync(`${root}/${one}`).sort()],
    [
      `list ${one} with kinds`,
      ({ fs, root }) =>
        fs
          .readdirSync(`${root}/${one}`, { withFileTypes: true })
          .map((entry) => `${entry.name} ${entry.isDirectory()}`)
          .sort(),
    ],
    [`read ${one}`, ({ fs, root }) => fs.readFileSync(`${root}/${one}`, 'utf8')],
    [`lookup ${any}`, ({ fs, root }) => fs.lstatSync(`${root}/${any}`, { throwIfNoEntry: false })?.isFile()],
    [`open ${one}`, (tried) => opened(tried, one)],
    [`write through a handle ${one}`, (tried) => written(tried, one)],
    [`through .. ${one}`, ({ fs, root }) => fs.existsSync(`${root}/d/../${one}`)],
  ];
  return random.pick(all);
}

function opened({ fs, root }: Tried, name: string): unknown {
  const fd = fs.openSync(`${root}/${name}`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const place = fs.readlinkSync(`/proc/self/fd/${fd}`).slice(root.length);
    if (fs.fstatSync(fd).isDirectory()) return [place, fs.readdirSync(`/proc/self/fd/${fd}`).sort()];
    const bytes = Buffer.alloc(4);
    return [place, fs.readSync(fd, bytes, 1, 2, 1), bytes.toString()];
  } finally {
    fs.closeSync(fd);
  }
}

async function written({ promises, root }: Tried, name: string): Promise<unknown> {
  const handle = await promises.open(`${root}/${name}`, 'wx', 0o600);
  try {
    await handle.write(Buffer.from('abc'), 0, 3, 2);
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

async function result(tried: Tried, [, act]: Operation): Promise<unknown> {
  try {
    return (await act(tried)) ?? 'done';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

/** Everything below a directory that does not depend on numbers given by the system. */
function tree({ fs, root }: Tried, at = ''): unknown {
  return fs
    .readdirSync(`${root}${at}`)
    .sort()
    .map((name) => {
      const stats = fs.lstatSync(`${root}${at}/${name}`);
      if (stats.isDirectory()) return [name, tree({ fs, root } as Tried, `${at}/${name}`)];
      return [name, stats.size, stats.nlink, stats.mode, fs.readFileSync(`${root}${at}/${name}`, 'utf8')];
    });
}

/** Which of a sequence of stats are equal to which: identities and times without their numbers. */
function identities({ fs, root }: Tried): unknown {
  const numbers = names.map((name) =>
    fs.existsSync(`${root}/${name}`) ? fs.lstatSync(`${root}/${name}`).ino : null,
  );
  return numbers.map((one) => numbers.indexOf(one));
}

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

describe('the disk in memory', () => {
  it('does what the real one does, in any order of operations', async () => {
    const real: Tried = { fs: realFs, promises: realPromises, root: folder.path };
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = seededRandom(seed);
      const disk = new MemoryDisk({ prefix: '/simulated', wallClock: Date.now });
      const { sync, promises } = createMemoryFs(disk);
      const memory = { fs: sync, promises, root: '/simulated/root' } as unknown as Tried;
      const place = `${folder.path}/${seed}`;
      memory.fs.mkdirSync(memory.root);
      realFs.mkdirSync(place);
      const done: string[] = [];
      for (let step = 0; step < 60; step += 1) {
        const next = operation(random);
        done.push(next[0]);
        const expected = await result({ ...real, root: place }, next);
        expect([done, await result(memory, next)]).toEqual([done, expected]);
      }
      expect([seed, tree(memory)]).toEqual([seed, tree({ ...real, root: place })]);
      expect([seed, identities(memory)]).toEqual([seed, identities({ ...real, root: place })]);
    }
  });

  it('changes times where the real one does', async () => {
    const changes = async ({ fs, promises, root }: Tried, wait: () => Promise<unknown>) => {
      const before = () =>
        [root, `${root}/d`, `${root}/d/a`].map((path) => fs.lstatSync(path, { throwIfNoEntry: false }));
      fs.mkdirSync(root);
      fs.mkdirSync(`${root}/d`);
      fs.writeFileSync(`${root}/d/a`, 'x');
      const acts: readonly (() => unknown)[] = [
        () => fs.appendFileSync(`${root}/d/a`, 'y'),
        () => promises.link(`${root}/d/a`, `${root}/b`),
        () => promises.rename(`${root}/b`, `${root}/c`),
        () => fs.rmSync(`${root}/c`),
        () => promises.rename(`${root}/d`, `${root}/e`),
        () => promises.rename(`${root}/e`, `${root}/d`),
        () => fs.writeFileSync(`${root}/d/new`, ''),
      ];
      const found: unknown[] = [];
      for (const act of acts) {
        const was = before();
        await wait();
        await act();
        found.push(
          before().map((is, index) => [
            was[index]?.mtimeMs === is?.mtimeMs,
            was[index]?.ctimeMs === is?.ctimeMs,
          ]),
        );
      }
      return found;
    };
    let now = 0;
    const disk = new MemoryDisk({ prefix: '/simulated', wallClock: () => now });
    const { sync, promises } = createMemoryFs(disk);
    const memory = { fs: sync, promises, root: '/simulated/root' } as unknown as Tried;
    const real: Tried = { fs: realFs, promises: realPromises, root: `${folder.path}/root` };
    const inMemory = await changes(memory, async () => (now += 20));
    // The kernel's times move in steps of some milliseconds.
    expect(inMemory).toEqual(await changes(real, () => new Promise((resolve) => setTimeout(resolve, 20))));
  });
});
