import { renameSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

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
    expect([...world.docIds().keys()]).toContain(`${directory}/a.txt`);
    expect(stateOf(`${directory}/a.txt`)).toMatchObject({ kind: 'dormant' });
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
});
