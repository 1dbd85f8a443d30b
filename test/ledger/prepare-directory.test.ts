import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { listLedger } from '../../src/ledger/ledger-files.ts';
import { prepareDirectory } from '../../src/ledger/lock-state-directory.ts';
import { asUser, nobody } from '../support/processes/as-user.ts';
import { describeWhere } from '../support/needs.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const folder = folderOfEachTest();

const isRoot = process.getuid?.() === 0;

describeWhere(
  isRoot ? null : { refused: 'giving files to other users' },
  'a state directory of a user who is not root',
  () => {
    /** A directory of theirs with a file of user `uid`; what becomes of it. */
    async function prepared(mode: number, uid: number, owner = nobody): Promise<string> {
      await chmod(folder.path, 0o755);
      const dir = folder.join('state');
      await folder.write('state/ledger.json', '{}');
      await chown(folder.join('state/ledger.json'), uid, uid);
      await chown(dir, owner, owner);
      await chmod(dir, mode);
      const refused = await asUser(() => prepareDirectory(dir)).catch((error: unknown) => error);
      if (refused instanceof Error) return refused.message.replace(folder.path, '');
      return ((await stat(dir)).mode & 0o777).toString(8);
    }

    it.each([
      ['closed, with a file of their own', 0o700, nobody, '700'],
      ['closed, with a file of another user, who was let in', 0o700, 1_001, '700'],
      ['open to be read', 0o755, nobody, '700'],
      ['open to all, with a file of their own', 0o777, nobody, '700'],
      ['open to all, with a file of root', 0o777, 0, '700'],
    ])('that is %s, is closed', async (_, mode, uid, expected) => {
      expect(await prepared(mode, uid)).toBe(expected);
    });

    it('that is open to all, with a file of another user, is refused, and says which', async () => {
      expect(await prepared(0o777, 1_001)).toMatch(
        /others can write in \/state, and ledger\.json in it belongs to another user \(uid 1001\)/,
      );
    });

    it('that is a new one of root may be taken, as what a container is given', async () => {
      await chmod(folder.path, 0o755);
      const dir = folder.join('state');
      await mkdir(dir, { mode: 0o755 });
      const taken = expect.stringMatching(/run sudo chown -R 65534 .*state/) as unknown;
      await expect(asUser(() => prepareDirectory(dir))).rejects.toMatchObject({ message: taken });
    });

    it('that root made, with a ledger in it, is given to the user who is to have it', async () => {
      const words =
        /; unless ingestd runs as root elsewhere, with this directory, run sudo chown -R 65534 \S+\/state$/;
      expect(await prepared(0o755, nobody, 0)).toMatch(words);
    });

    it('that this user may not make is refused, with the command that makes it', async () => {
      await chmod(folder.path, 0o755);
      const dir = folder.join('state');
      await expect(asUser(() => prepareDirectory(dir))).rejects.toMatchObject({
        code: 'configuration',
        message: `state.dir: ${dir} cannot be created (EACCES); run sudo install -d -m 0700 -o 65534 ${dir}`,
      });
    });

    it('that belongs to somebody else is refused, and says what to do', async () => {
      expect(await prepared(0o755, nobody, 1_001)).toMatch(
        /^state\.dir: \/state belongs to another user \(uid 1001; this ingestd runs as uid 65534\).* run ingestd as that user \(sudo -u '#1001' ingestd …\)$/,
      );
    });
  },
);

describe('of the files in a state directory', () => {
  it('those are told apart that a crash left, another holder wrote, and others', async () => {
    const names = [
      'ledger.used',
      'ledger.f12.json',
      'ledger.f12.journal.9',
      'ledger.f12.journal.10',
      'ledger.f12.journal.010',
      'ledger.f3.journal.2',
      'ledger.f14.claim',
      'ledger.7.tmp',
      'notes.tmp',
    ];
    for (const name of names) await folder.write(name, '');
    const { temporaries, others, paths, ...listing } = await listLedger(folder.path);
    const namesOf = (list: readonly string[]) => list.map((path) => basename(path)).sort();
    expect(namesOf(temporaries)).toEqual(['ledger.7.tmp']);
    expect(namesOf(others)).toEqual(['ledger.f14.claim', 'ledger.f3.journal.2']);
    expect([paths.fence, basename(paths.journal(10))]).toEqual([12, 'ledger.f12.journal.10']);
    expect(listing).toEqual({
      highestFence: 14,
      snapshot: true,
      previous: false,
      marker: true,
      journals: [9, 10],
    });
  });
});

it.each([
  ['/proc/ingestd/state', 'ENOENT'],
  ['/dev/null/state', 'ENOTDIR'],
  ['/dev/null', 'EEXIST'],
])('a state directory where none can be made is refused at once: %s', async (dir, code) => {
  await expect(prepareDirectory(dir)).rejects.toMatchObject({
    code: 'configuration',
    message: `state.dir: ${dir} cannot be created (${code}); name a directory on a disk`,
  });
});
