import { execFile } from 'node:child_process';
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const git = (home, ...words) =>
  run('git', [
    '-C',
    join(home, 'inbox/repository'),
    '-c',
    'user.name=bench',
    '-c',
    'user.email=bench@localhost',
    ...words,
  ]);

const single = ['swap1', 'swap2', 'chain1', 'chain2', 'chain3', 'over1', 'over2'];

/** The folders as they are before the first change. */
export async function fill(home) {
  for (let index = 0; index < 1_000; index += 1) {
    await put(home, `inbox/archive/${Math.floor(index / 100)}/document${index}.txt`);
    await put(home, `plain/papers/${Math.floor(index / 100)}/paper${index}.txt`);
  }
  for (let index = 0; index < 600; index += 1) await put(home, `inbox/stack/sheet${index}.txt`);
  for (const name of single) {
    await put(home, `inbox/desk/${name}.txt`);
    await put(home, `plain/desk/${name}.txt`);
  }
  for (let index = 0; index < 20; index += 1) await put(home, `inbox/repository/source${index}.txt`);
  await git(home, 'init', '--quiet', '--initial-branch=main');
  await git(home, 'add', '.');
  await git(home, 'commit', '--quiet', '--message=one');
  await git(home, 'checkout', '--quiet', '-b', 'other');
  for (let index = 0; index < 20; index += 1) {
    await writeFile(join(home, `inbox/repository/source${index}.txt`), `other text ${index}`);
  }
  await git(home, 'commit', '--quiet', '--all', '--message=two');
  await git(home, 'checkout', '--quiet', 'main');
}

/** What happens while the daemon runs: each with the least number of requests that can tell the service, and why. */
export const live = [
  {
    what: 'a directory of 1,000 documents is renamed',
    least: 0,
    why: 'nothing that the service holds changes',
    act: (home) => move(home, 'inbox/archive', 'inbox/archive-2025'),
  },
  {
    what: '1,000 documents are moved into another directory, one by one',
    least: 0,
    why: 'nothing that the service holds changes',
    act: async (home) => {
      await mkdir(join(home, 'inbox/flat'));
      for (let index = 0; index < 1_000; index += 1) {
        const directory = `inbox/archive-2025/${Math.floor(index / 100)}`;
        await move(home, `${directory}/document${index}.txt`, `inbox/flat/document${index}.txt`);
      }
    },
  },
  {
    what: '1,000 documents are renamed one by one (`title: none`)',
    least: 0,
    why: 'nothing that the service holds changes',
    act: async (home) => {
      for (let index = 0; index < 1_000; index += 1) {
        const directory = `plain/papers/${Math.floor(index / 100)}`;
        await move(home, `${directory}/paper${index}.txt`, `${directory}/page${index}.txt`);
      }
    },
  },
  {
    what: '1,000 documents are renamed one by one, titles from names',
    least: 1_000,
    why: '1,000 new titles, and no bulk call carries a title',
    act: async (home) => {
      for (let index = 0; index < 1_000; index += 1) {
        await move(home, `inbox/flat/document${index}.txt`, `inbox/flat/renamed${index}.txt`);
      }
    },
  },
  {
    what: '1,000 documents are touched',
    least: 0,
    why: 'the bytes are the same',
    act: async (home) => {
      const now = new Date();
      for (let index = 0; index < 1_000; index += 1) {
        await utimes(join(home, `inbox/flat/renamed${index}.txt`), now, now);
      }
    },
  },
  {
    what: 'one tag for 600 documents, by a `.meta.json`',
    least: 3,
    why: '600 documents, 250 in a bulk call',
    act: (home) =>
      writeFile(
        join(home, 'inbox/stack/.meta.json'),
        JSON.stringify({ customTags: [{ name: 'q3', visibility: 'PUBLIC' }] }),
      ),
  },
  {
    what: '600 documents are deleted',
    least: 3,
    why: '600 documents, 250 in a bulk call',
    act: (home) => rm(join(home, 'inbox/stack'), { recursive: true }),
  },
  {
    what: '`git checkout` of other content in 20 documents',
    least: 20,
    why: 'new bytes of 20 documents, and one call carries one file',
    act: (home) => git(home, 'checkout', '--quiet', 'other'),
  },
  ...[
    { at: 'plain', said: '`title: none`', titles: 0 },
    { at: 'inbox', said: 'titles from names', titles: 1 },
  ].flatMap(({ at, said, titles }) => [
    {
      what: `two documents swap names (${said})`,
      least: 2 * titles,
      why: titles === 0 ? 'nothing that the service holds changes' : 'two titles',
      act: async (home) => {
        await move(home, `${at}/desk/swap1.txt`, `${at}/desk/t.txt`);
        await move(home, `${at}/desk/swap2.txt`, `${at}/desk/swap1.txt`);
        await move(home, `${at}/desk/t.txt`, `${at}/desk/swap2.txt`);
      },
    },
    {
      what: `a chain of three renames (${said})`,
      least: 3 * titles,
      why: titles === 0 ? 'nothing that the service holds changes' : 'three titles',
      act: async (home) => {
        await move(home, `${at}/desk/chain3.txt`, `${at}/desk/chain4.txt`);
        await move(home, `${at}/desk/chain2.txt`, `${at}/desk/chain3.txt`);
        await move(home, `${at}/desk/chain1.txt`, `${at}/desk/chain2.txt`);
      },
    },
    {
      what: `one document is renamed over another (${said})`,
      least: 1 + titles,
      why: `one deletion${titles === 0 ? '' : ', one title'}`,
      act: (home) => move(home, `${at}/desk/over1.txt`, `${at}/desk/over2.txt`),
    },
  ]),
];

/** What happens while it is off. */
export const weekend = {
  what: 'restart after a weekend: a directory of 500 renamed, 100 files moved, 200 touched, 40 edited, 10 new, 25 deleted',
  least: 51,
  why: '40 + 10 files, and 25 documents in one bulk call',
  act: async (home) => {
    await mkdir(join(home, 'plain/old'));
    for (let part = 0; part < 5; part += 1) await move(home, `plain/papers/${part}`, `plain/old/${part}`);
    await move(home, 'plain/old', 'plain/older');
    for (let index = 0; index < 100; index += 1) {
      await move(home, `inbox/flat/renamed${index}.txt`, `inbox/archive-2025/renamed${index}.txt`);
    }
    const now = new Date();
    for (let index = 100; index < 300; index += 1) {
      await utimes(join(home, `inbox/flat/renamed${index}.txt`), now, now);
    }
    for (let index = 300; index < 340; index += 1) {
      await writeFile(join(home, `inbox/flat/renamed${index}.txt`), `edited on Saturday ${index}`);
    }
    for (let index = 0; index < 10; index += 1) await put(home, `inbox/new/sunday${index}.txt`);
    for (let index = 400; index < 425; index += 1) await rm(join(home, `inbox/flat/renamed${index}.txt`));
  },
};

async function put(home, path) {
  await mkdir(join(home, path, '..'), { recursive: true });
  await writeFile(join(home, path), `text of ${path}`);
}

function move(home, from, to) {
  return rename(join(home, from), join(home, to));
}
