import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { appendFile, chmod, mkdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { createChokidarWatcher } from '../../../src/scan/watch/chokidar-backend.ts';
import { createNativeWatcher } from '../../../src/scan/watch/native-backend.ts';
import type { Watcher, WatcherEvents } from '../../../src/scan/watch/backend.ts';
import { createFolderState } from '../../../src/scan/folder-state.ts';
import { createWatchSet } from '../../../src/scan/watch/watch-set.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';
import { folderSettingsOf } from '../../support/fixtures/default-settings.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { folderWorld } from '../support/folder-world.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

jest.setTimeout(90_000);
/** The machine may have better things to do. */
const patience = { withinMs: 60_000 };
const eventsOf = (reported: string[]): WatcherEvents => ({
  changed: (directory) => reported.push(directory),
  lost: ({ message }) => {
    throw new Error(message);
  },
});
const players = { chokidar: createChokidarWatcher, native: createNativeWatcher };

describe.each(['chokidar', 'native'] as const)('the watcher by %s', (kind) => {
  const folder = folderOfEachTest();
  let watcher: Watcher;
  let dirty: string[];

  beforeEach(() => {
    dirty = [];
    watcher = players[kind](eventsOf(dirty));
  });
  afterEach(() => watcher.close());

  const watch = async (directory: string) => {
    const absolute = folder.join(directory);
    const { dev, ino } = await stat(absolute);
    expect(watcher.watch({ directory, absolute, identity: `${dev}:${ino}` })).toBe(true);
    await watcher.armed();
  };
  const eventful = (directory: string) => eventually(() => dirty.includes(directory));

  it.each([
    ['nothing', () => {}],
    ['a link', (place: string) => symlinkSync('.', place)],
  ])(
    'reports a directory in whose place %s was when its watch was set, so that another is',
    async (_, make) => {
      await mkdir(folder.join('first'));
      await mkdir(folder.join('d'));
      await watch('first');
      const { dev, ino } = await stat(folder.join('d'));
      watcher.watch({ directory: 'd', absolute: folder.join('d'), identity: `${dev}:${ino}` });
      renameSync(folder.join('d'), folder.join('away'));
      make(folder.join('d'));
      await watcher.armed();
      await eventful('d');
      await rm(folder.join('d'), { force: true });
      renameSync(folder.join('away'), folder.join('d'));
      dirty.length = 0;
      await watch('d');
      // A watch by chokidar is set later than that says.
      for (let n = 0; !dirty.includes('d'); n += 1) await writeFile(folder.join(`d/${n}.pdf`), 'one');
    },
  );

  it('reports whatever changes in a directory, and not for what lies deeper', async () => {
    await mkdir(folder.join('a/deep'), { recursive: true });
    await mkdir(folder.join('b'));
    await watch('a');
    await watch('b');
    const file = folder.join('a/x.pdf');
    const changes = [
      () => writeFile(file, 'one'),
      () => appendFile(file, 'two'),
      () => chmod(file, 0o600),
      () => rename(file, folder.join('a/y.pdf')),
      () => mkdir(folder.join('a/new')),
      () => rename(folder.join('a/y.pdf'), folder.join('y.pdf')),
      () => rename(folder.join('y.pdf'), file),
      () => unlink(file),
    ];
    for (const change of changes) {
      dirty.length = 0;
      await change();
      await eventful('a');
    }
    // All events come in the order of the changes: when `b` has one, the deeper one would have.
    dirty.length = 0;
    await writeFile(folder.join('a/deep/z.pdf'), 'z');
    await writeFile(folder.join('b/z.pdf'), 'z');
    await eventful('b');
    expect(dirty).not.toContain('a');
    expect(watcher.count()).toBe(2);
  });

  it('reports nothing more of a directory that is forgotten', async () => {
    await mkdir(folder.join('a'));
    await mkdir(folder.join('b'));
    await watch('a');
    await watch('b');
    watcher.forget('a');
    await writeFile(folder.join('a/z.pdf'), 'z');
    await writeFile(folder.join('b/z.pdf'), 'z');
    await eventful('b');
    expect(dirty).not.toContain('a');
    expect(watcher.count()).toBe(1);
  });

  it('reports when the directory itself goes, and watches another one in its place', async () => {
    await mkdir(folder.join('a'));
    await watch('a');
    const goes = [
      () => rename(folder.join('a'), folder.join('elsewhere')),
      () => rm(folder.join('a'), { recursive: true }),
    ];
    for (const go of goes) {
      dirty.length = 0;
      await go();
      await eventful('a');
      await mkdir(folder.join('a'));
      await watch('a');
      dirty.length = 0;
      // A second watch under a path may come late: the next scan makes up for that.
      await eventually(async () => {
        await writeFile(folder.join('a/z.pdf'), 'z');
        return dirty.includes('a');
      });
    }
  });
});

describe.each(['chokidar', 'native'] as const)('a folder watched by %s', (kind) => {
  const world = ofEachTest(() => folderWorld({ watcher: kind }));

  const found = (paths: readonly string[]) =>
    eventually(() => {
      expect(world.documents()).toEqual([...paths].sort());
      return true;
    }, patience);
  /** No scan was a rescan: what was found rang. */
  const causes = () => [...new Set(world.scans.map(({ cause }) => cause))];

  it('finds 1,200 files in 60 new directories as git checkout writes them, without a rescan', async () => {
    const paths: string[] = [];
    for (let directory = 0; directory < 60; directory += 1) {
      const name = `src/m${directory % 12}/p${directory}`;
      mkdirSync(world.join(name), { recursive: true });
      for (let file = 0; file < 20; file += 1) {
        const path = `${name}/${file}.txt`;
        writeFileSync(world.join(path), 'x');
        paths.push(path);
      }
    }
    await eventually(() => world.documents().length === paths.length, patience);
    expect(world.documents()).toEqual(paths.sort());
    expect(causes()).not.toContain('rescan');
  });

  it('finds what mkdir -p, write and rename leave behind', async () => {
    const paths: string[] = [];
    for (let at = 0; at < 200; at += 1) {
      mkdirSync(world.join(`a${at % 20}/b${at}/c`), { recursive: true });
      writeFileSync(world.join(`a${at % 20}/b${at}/c/.tmp`), 'x');
      renameSync(world.join(`a${at % 20}/b${at}/c/.tmp`), world.join(`a${at % 20}/b${at}/c/x.pdf`));
      renameSync(world.join(`a${at % 20}/b${at}`), world.join(`a${at % 20}/d${at}`));
      paths.push(`a${at % 20}/d${at}/c/x.pdf`);
    }
    await found(paths);
    expect(causes()).not.toContain('rescan');
  });

  it('F15: follows directories that are renamed, moved in with all below, and moved out', async () => {
    await world.write('a/b/one.pdf', '1');
    await found(['a/b/one.pdf']);
    await rename(world.join('a'), world.join('z'));
    await found(['z/b/one.pdf']);
    await world.write('z/b/two.pdf', '2');
    await found(['z/b/one.pdf', 'z/b/two.pdf']);
    await world.home.write('outside/deep/er/three.pdf', '3');
    await rename(world.home.join('outside'), world.join('in'));
    await found(['in/deep/er/three.pdf', 'z/b/one.pdf', 'z/b/two.pdf']);
    await rename(world.join('z'), world.home.join('out'));
    await found(['in/deep/er/three.pdf']);
    await world.write('in/deep/er/four.pdf', '4');
    await found(['in/deep/er/four.pdf', 'in/deep/er/three.pdf']);
    expect(causes()).not.toContain('rescan');
  });

  it('F40: goes on with a root that is deleted, or renamed away, and made again', async () => {
    await world.write('one.pdf', '1');
    await found(['one.pdf']);
    await rm(world.path, { recursive: true });
    await mkdir(world.path);
    await writeFile(world.join('two.pdf'), '2');
    await found(['two.pdf']);
    await writeFile(world.join('three.pdf'), '3');
    await found(['three.pdf', 'two.pdf']);
    await rename(world.path, world.home.join('elsewhere'));
    await mkdir(world.path);
    await writeFile(world.join('four.pdf'), '4');
    await found(['four.pdf']);
    // The new root may have got the inode number of the first one, which is gone.
    const { ino } = await stat(world.path);
    await eventually(() => world.scanned.at(-1)?.ino === ino, patience);
    await writeFile(world.join('five.pdf'), '5');
    await found(['five.pdf', 'four.pdf']);
    expect(causes()).not.toContain('rescan');
  });
});

it('nothing is missed while one watcher takes over from the other', async () => {
  const folder = await temporaryFolder();
  const reported: string[] = [];
  const settings = folderSettingsOf(folder.path, { watch: 'native' });
  const plan = { settings, maxFileBytes: 1, settleMs: 1, removeGraceMs: 1, root: folder.path };
  const state = createFolderState({ ...plan, excluded: null, backend: null }, () => {});
  const watches = createWatchSet(state, eventsOf(reported));
  try {
    await watches.begin('native');
    watches.watch('', folder.path, await stat(folder.path));
    const taken = watches.change('chokidar');
    writeFileSync(folder.join('a.pdf'), 'a');
    await taken;
    await eventually(() => reported.includes(''));
    expect([watches.backend(), watches.count()]).toEqual(['chokidar', 1]);
  } finally {
    await watches.begin(null);
    await folder.remove();
  }
});

it('a directory with a backslash in its name is watched as any other, and no limit is blamed', async () => {
  const world = await folderWorld({
    watcher: 'chokidar',
    before: (folder) => folder.write('with\\backslash/a.pdf', 'a'),
  });
  try {
    expect(world.port.health()).toMatchObject({ state: 'watching', watches: 2, reasons: [] });
    await world.write('with\\backslash/b.pdf', 'b');
    await eventually(() => world.documents().length === 2, patience);
    expect(new Set(world.scans.map(({ cause }) => cause))).not.toContain('rescan');
    await rename(world.join('with\\backslash'), world.join('without'));
    await eventually(() => world.documents()[0] === 'without/a.pdf', patience);
    expect(world.port.health().watches).toBe(2);
  } finally {
    await world.close();
  }
});
