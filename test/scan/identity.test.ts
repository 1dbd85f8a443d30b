import { renameSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { asUser, nobody } from '../support/processes/as-user.ts';
import { eventually } from '../support/eventually.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { syncedFolder } from './support/synced-folder.ts';
import type { SyncedFolder } from './support/synced-folder.ts';

let world: SyncedFolder;
afterEach(async () => world.close());

const deletions = () => world.service.calls.filter((call) => call.includes('delete'));
const stateOf = (path: string) => world.engine().tasks.get({ folder: 'inbox', path })?.state;
const at = (path: string) => world.inbox.join(path);
/** Longer than the grace period and all retries. */
const longMs = 60_000;

/** As somebody who is not root and owns the folder. */
async function asOwner(act: () => Promise<void>): Promise<void> {
  const { home } = world;
  if (process.getuid?.() === 0) {
    for (const path of ['', ...(await readdir(home.path, { recursive: true }))])
      await chown(home.join(path), nobody, nobody);
  }
  await asUser(act);
}

async function settle(): Promise<void> {
  await world.rescan();
  await world.pass(longMs);
  // What is missing is decided after the scan under way, which takes its time, whatever the clock in hand says.
  await eventually(async () => {
    await world.pass(1_000);
    return world.engine().tasks.in('grace').size === 0;
  });
}

describe('I2: a document whose file is gone from its path', () => {
  it('is deleted when the folder can be listed again, if its file went meanwhile', async () => {
    const before = async (inbox: TemporaryFolder) => {
      for (const name of ['a.txt', 'b.txt', 'c.txt']) await inbox.write(name, name);
    };
    world = await syncedFolder({ before });
    await writeFile(at('.ingestignore'), 'x\n'.repeat(1_001));
    await settle();
    await rm(at('a.txt'));
    await writeFile(at('b.txt'), 'changed');
    await settle();
    expect([deletions(), [...world.engine().tasks.in('settling')]]).toEqual([[], []]);
    await rm(at('.ingestignore'));
    await settle();
    expect(world.held()).toEqual({ 'b.txt': 'changed', 'c.txt': 'c.txt' });
  });

  it.each([
    [
      'a directory with its own ignore rules',
      'old',
      async () => {
        await mkdir(at('old'));
        await writeFile(at('old/.ingestignore'), '*\n');
      },
    ],
    [
      'the directory of attachments of another document',
      'b.txt.attachments',
      async () => {
        await writeFile(at('b.txt'), 'b');
        await mkdir(at('b.txt.attachments'));
      },
    ],
  ])('stays at the service while its file is in %s', async (_, directory, make) => {
    world = await syncedFolder({ before: (inbox) => writeFile(inbox.join('a.txt'), 'a') });
    await make();
    await rename(at('a.txt'), at(`${directory}/a.txt`));
    await settle();
    expect(deletions()).toEqual([]);
    expect(stateOf('a.txt')).toMatchObject({ kind: 'dormant', reason: { code: 'kept-elsewhere' } });
  });

  it('I2, F13: is deleted although a new file that is not sent got its inode number', async () => {
    world = await syncedFolder({ before: (inbox) => writeFile(inbox.join('a.pdf'), 'a') });
    await rm(at('a.pdf'));
    // Some file systems give the number away at once.
    await writeFile(at('bad.name.pdf'), 'another file');
    await settle();
    expect(deletions()).toHaveLength(1);
  });

  it.each([
    ['while it works', false],
    ['while it is stopped', true],
  ])('I1: goes with its directory, though an older one comes in its place, %s', async (_, isStopped) => {
    const names = ['one.txt', 'two.txt', 'sub/one.txt'];
    world = await syncedFolder();
    for (const name of names) {
      await world.inbox.write(`a/${name}`, `new ${name}`);
      await world.home.write(`old/${name}`, `old ${name}`);
    }
    await world.sync();
    const before = world.docIds();
    world.service.forget();
    const act = () => {
      renameSync(at('a'), at('b'));
      renameSync(world.home.join('old'), at('a'));
      // Saved anew where it is now: the directory alone tells whose document it is.
      writeFileSync(at('b/saved'), 'edited');
      renameSync(at('b/saved'), at('b/two.txt'));
    };
    if (isStopped) await world.restart(act);
    else act();
    await settle();
    expect(world.service.calls.toSorted()).toEqual(['modify', 'upload', 'upload', 'upload']);
    for (const name of names) expect(world.docIds().get(`b/${name}`)).toBe(before.get(`a/${name}`));
    expect(world.held()).toMatchObject({ 'a/two.txt': 'old two.txt', 'b/two.txt': 'edited' });
  });

  it.each([
    ['itself', 'dir/closed', 'dir/moved'],
    ['with the directory above it', 'dir', 'renamed'],
    ['into another directory', 'dir/closed', 'other/closed'],
  ])(
    'I1: holds the deletion of what lies in an unreadable directory that is renamed %s',
    async (_, from, to) => {
      world = await syncedFolder({
        aheadMs: -3_600_000,
        before: async (inbox) => {
          for (const name of ['dir/closed', 'other']) await mkdir(inbox.join(name), { recursive: true });
          await writeFile(inbox.join('dir/closed/a.txt'), 'a');
        },
      });
      const docId = world.docIds().get('dir/closed/a.txt');
      await asOwner(async () => {
        await chmod(at('dir/closed'), 0o200);
        await settle();
        await rename(at(from), at(to));
        await settle();
        expect(deletions()).toEqual([]);
        expect(stateOf('dir/closed/a.txt')?.kind).toBe('held');
      });
      await chmod(at(from === 'dir' ? 'renamed/closed' : to), 0o755);
      await settle();
      expect(deletions()).toEqual([]);
      expect([...world.docIds().values()]).toEqual([docId]);
      expect(world.service.calls.filter((call) => call.includes('upload'))).toHaveLength(1);
    },
  );
});
