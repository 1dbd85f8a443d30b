import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { statOf } from '../../../src/scan/rules/entry.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import type { TemporaryFolder } from '../../support/temporary-folder.ts';
import { folderProcess } from '../support/folder-process.ts';
import type { FolderProcess } from '../support/folder-process.ts';
import { folderWorld } from '../support/folder-world.ts';

jest.setTimeout(90_000);
const patience = { withinMs: 60_000 };

let folder: FolderProcess;

/** What keeps a command from running; null: nothing. */
function missing(what: string, command: readonly string[]): string | null {
  try {
    const [program = '', ...words] = command;
    execFileSync(program, words, { stdio: 'ignore' });
    return null;
  } catch {
    return what;
  }
}

const watches = 60;
const fewWatches = [
  'unshare',
  '--user',
  '--map-root-user',
  'sh',
  '-c',
  `echo ${watches} > /proc/sys/user/max_inotify_watches && exec "$@"`,
  'sh',
];

describeWhere(
  missing('user namespaces (unshare)', [...fewWatches, 'true']),
  'a folder that is short of watches',
  () => {
    afterEach(() => folder.close());
    const directories = 90;
    const filled = {
      by: fewWatches,
      timing: { pollSeconds: 0.3 },
      before: async ({ join, write }: TemporaryFolder) => {
        for (let at = 0; at < directories; at += 1) await mkdir(join(`d${at}`));
        await write('d0/first.pdf', 'x');
      },
    };
    const findsEverything = async () => {
      for (let at = 0; at < directories; at += 1) writeFileSync(folder.join(`d${at}`, 'late.pdf'), 'x');
      await eventually(async () => (await folder.ask('count')) === directories + 1, patience);
      expect(await folder.ask('causes')).not.toContain('rescan');
    };

    it('F43: polls the directories that are over the limit, and says the line that fixes it', async () => {
      folder = await folderProcess(filled);
      const health = await folder.ask('health');
      expect(health).toMatchObject({ state: 'watching', reasons: [{ code: 'watch-limit' }] });
      expect(health.reasons[0]?.message).toMatch(
        /of 91 directories are polled.*sysctl -w fs\.inotify\.max_user_watches=\d+/,
      );
      expect(health.watches).toBeGreaterThan(40);
      expect(health.watches).toBeLessThanOrEqual(watches);
      // Those over the limit, and no others.
      await eventually(async () => (await folder.ask('polled')).length === 91 - health.watches, patience);
      await findsEverything();
    });

    it.each(['native', undefined] as const)(
      'F43: falls back where others have taken the watches that the limit promised (%s)',
      async (watcher) => {
        folder = await folderProcess({
          ...filled,
          ...(watcher === undefined ? {} : { watcher }),
          hogged: ({ join }) => Array.from({ length: 40 }, (_, at) => join(`d${at + 40}`)),
        });
        await findsEverything();
        expect((await folder.ask('health')).reasons).toMatchObject([{ code: 'watch-limit' }]);
      },
    );
  },
);

describe('a kernel queue that overflows', () => {
  afterEach(() => folder.close());

  it('F43, F42: 10,000 files that come while the whole process stands still are all found, without a rescan', async () => {
    folder = await folderProcess({ before: ({ join }) => mkdir(join('wide')), watcher: 'native' });
    process.kill(folder.pid, 'SIGSTOP');
    mkdirSync(folder.join('new'));
    // Each is two events, and the queue takes 16,384.
    for (let at = 0; at < 10_000; at += 1)
      writeFileSync(folder.join(at % 2 === 0 ? 'wide' : 'new', `${at}.txt`), 'x');
    process.kill(folder.pid, 'SIGCONT');
    await eventually(async () => (await folder.ask('count')) === 10_000, patience);
    await eventually(async () => (await folder.ask('causes')).includes('overflow'), patience);
    expect(await folder.ask('causes')).not.toContain('rescan');
  });
});

const traced = join(tmpdir(), `listings-${process.pid}`);
const traceListings = [
  'strace',
  '--follow-forks',
  '--seccomp-bpf',
  '--output',
  traced,
  '--trace',
  'getdents64',
];

describeWhere(missing('strace', ['strace', '--version']), 'the removal of one among 100,000 files', () => {
  afterEach(async () => {
    await folder.close();
    await rm(traced, { force: true });
  });

  it('lists its directory alone, and nothing more to see that the file is nowhere', async () => {
    folder = await folderProcess({
      by: traceListings,
      before: ({ join }) => {
        for (let directory = 0; directory < 100; directory += 1) {
          mkdirSync(join(`d${directory}`));
          for (let at = 0; at < 1_000; at += 1) writeFileSync(join(`d${directory}/${at}.pdf`), 'x');
        }
        return Promise.resolve();
      },
    });
    /** A directory is read until there is nothing more of it. */
    const listings = () => readFileSync(traced, 'utf8').match(/getdents64.* = 0$/gm)?.length ?? 0;
    const isQuiet = async () => !(await folder.ask('health')).busy;
    await eventually(isQuiet, patience);
    expect(await folder.ask('count')).toBe(100_000);
    const before = listings();
    expect(before).toBeGreaterThanOrEqual(101);
    const file = statOf(lstatSync(folder.join('d7/7.pdf')));
    await rm(folder.join('d7/7.pdf'));
    await eventually(async () => (await folder.ask('count')) === 99_999, patience);
    // Its directory is listed, and once more when that has had its time to settle.
    expect(listings() - before).toBeLessThanOrEqual(2);
    expect(await folder.ask('find', { files: [file] })).toMatchObject({
      files: [],
      unreadable: [],
      unlisted: [],
    });
    expect(listings() - before).toBeLessThanOrEqual(2);
  });
});

/** Root may read everything: without these two rights it may not. */
const asUser =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] : [];

describeWhere(missing('setpriv', [...asUser, 'true']), 'what may not be read', () => {
  afterEach(async () => {
    await chmod(folder.join('closed'), 0o700).catch(() => undefined);
    await folder.close();
  });
  const filled = {
    by: asUser,
    timing: { pollSeconds: 0.3 },
    before: async ({ write }: TemporaryFolder) => {
      await write('open.pdf', 'x');
      await write('closed/deep/x.pdf', 'x');
      await write('closed/y.pdf', 'y');
    },
  };
  const all = ['closed/deep/x.pdf', 'closed/y.pdf', 'open.pdf'];

  it('F36: below a directory that could never be listed nothing is known, and nothing is waited for', async () => {
    folder = await folderProcess({
      ...filled,
      before: async (home) => {
        await filled.before(home);
        await chmod(home.join('closed'), 0o100);
      },
    });
    expect(await folder.ask('inspect', { path: 'closed/deep/x.pdf' })).toMatchObject({
      kind: 'unknown',
      code: 'unreadable',
      message: expect.stringMatching(/^closed: .*EACCES/),
    });
  });

  it('F36: a root of mode 000 is unavailable, and nothing in it is gone', async () => {
    folder = await folderProcess(filled);
    await chmod(folder.path, 0o000);
    await eventually(async () => (await folder.ask('health')).state === 'unavailable', patience);
    expect((await folder.ask('inspect', { path: 'open.pdf' })).kind).toBe('unknown');
    await chmod(folder.path, 0o700);
    await eventually(async () => (await folder.ask('health')).state === 'watching', patience);
    expect(await folder.ask('documents')).toEqual(all);
  });
});

describeWhere(missing('python3', ['python3', '--version']), 'a write through mmap', () => {
  it('F11: is found by the next rescan at the latest', async () => {
    const world = await folderWorld({ before: ({ write }) => write('a.pdf', 'old') });
    const { stat } = await world.document('a.pdf');
    const script =
      'import mmap,sys\nf=open(sys.argv[1],"r+b")\nm=mmap.mmap(f.fileno(),0)\nm[0:3]=b"new"\nm.flush()';
    execFileSync('python3', ['-c', script, world.join('a.pdf')]);
    await world.port.rescan('rescan');
    const found = world.scans.at(-1)?.entries[0]?.stat;
    expect(found?.mtimeMs).toBeGreaterThan(stat.mtimeMs);
    await world.close();
  });
});
