import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { folderWorld } from '../support/folder-world.ts';
import { syncedFolder } from '../support/synced-folder.ts';
import type { SyncedFolder } from '../support/synced-folder.ts';

const mount = (...words: string[]) => execFileSync('mount', words, { stdio: 'pipe' });
const unmount = (path: string) => execFileSync('umount', ['--lazy', path], { stdio: 'pipe' });

/** What keeps this machine from mounting; null: nothing. */
function missing(): string | null {
  const place = join(tmpdir(), `ingestd-mount-${process.pid}`);
  try {
    mkdirSync(place);
    mount('-t', 'tmpfs', 'tmpfs', place);
    unmount(place);
    return null;
  } catch {
    return 'the right to mount (root)';
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Long enough for every grace, retry and guard's inspect. */
const longMs = 60_000;

describeWhere(missing(), 'a folder with mounts', () => {
  let world: SyncedFolder;
  let mounted: string[] = [];
  let data: string;

  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'ingestd-data-'));
    mounted = [];
    cover(data);
  });
  afterEach(async () => {
    for (const path of mounted.toReversed()) {
      try {
        unmount(path);
      } catch {
        // The test did.
      }
    }
    await world.close();
    await rm(data, { recursive: true, force: true });
  });

  const bind = (path: string, from = data) => {
    mount('--bind', from, path);
    mounted.push(path);
  };
  const cover = (path: string) => {
    mount('-t', 'tmpfs', 'tmpfs', path);
    mounted.push(path);
  };
  /** Nothing has been deleted, and this is held back. */
  const expectHeld = (...paths: readonly string[]) => expect([deletions(), heldBack()]).toEqual([[], paths]);
  const settled = async () => {
    await world.rescan();
    await world.pass(longMs);
    await world.rescan();
    await world.pass(longMs);
  };
  const deletions = () => world.service.calls.filter((call) => call.includes('delete'));
  const heldBack = () => [...world.engine().tasks.in('held')].map(({ ref }) => ref.path).sort();

  describe('in its place', () => {
    beforeEach(async () => {
      await writeFile(join(data, 'one.txt'), '1');
      await writeFile(join(data, 'two.txt'), '2');
      world = await syncedFolder({
        before: (inbox) => {
          bind(inbox.path);
          return Promise.resolve();
        },
      });
      world.service.forget();
    });

    it('F39: deletes nothing while it is unmounted, and goes on when it is mounted again', async () => {
      unmount(world.inbox.path);
      await settled();
      expect([deletions(), Object.keys(world.held()).sort()]).toEqual([[], ['one.txt', 'two.txt']]);
      bind(world.inbox.path);
      await writeFile(world.inbox.join('three.txt'), '3');
      await world.sync();
      expect([Object.keys(world.held()).sort(), heldBack()]).toEqual([
        ['one.txt', 'three.txt', 'two.txt'],
        [],
      ]);
      await rm(world.inbox.join('two.txt'));
      await world.sync();
      expect(world.held()).toEqual({ 'one.txt': '1', 'three.txt': '3' });
    });

    it('F39: holds every deletion while another file system stands in its place', async () => {
      cover(world.inbox.path);
      await settled();
      expectHeld('one.txt', 'two.txt');
      unmount(world.inbox.path);
      await settled();
      expectHeld();
      expect(Object.keys(world.held()).sort()).toEqual(['one.txt', 'two.txt']);
    });
  });

  describe('below it', () => {
    beforeEach(async () => {
      await writeFile(join(data, 'deep.txt'), 'deep');
      world = await syncedFolder({
        before: async (inbox) => {
          await inbox.write('top.txt', 'top');
          await mkdir(inbox.join('usb'));
          bind(inbox.join('usb'));
        },
      });
      world.service.forget();
    });

    it('F39: a file system that is no longer mounted takes no document with it', async () => {
      expect(world.held()).toEqual({ 'top.txt': 'top', 'usb/deep.txt': 'deep' });
      unmount(world.inbox.join('usb'));
      await settled();
      expectHeld('usb/deep.txt');
      expect(world.ledger().hold('inbox')?.reason).toMatch(/mounted or unmounted/);
      bind(world.inbox.join('usb'));
      await settled();
      expect([world.service.calls, heldBack(), world.ledger().hold('inbox')]).toEqual([[], [], undefined]);
    });

    it('F39: nor when its mount point goes with it, nor while the daemon is off', async () => {
      unmount(world.inbox.join('usb'));
      await rm(world.inbox.join('usb'), { recursive: true });
      await world.restart();
      await settled();
      expectHeld('usb/deep.txt');
    });

    it('F39: a document on whose own file something is mounted is held, and as before afterwards', async () => {
      bind(world.inbox.join('top.txt'), '/dev/null');
      await settled();
      expectHeld('top.txt');
      unmount(world.inbox.join('top.txt'));
      await settled();
      expect([world.service.calls, heldBack(), world.ledger().hold('inbox')]).toEqual([[], [], undefined]);
    });

    it.each([false, true])(
      'I3: nor does a directory of the same device that is not bound there at the next start, approved before it is held: %s',
      async (isApproved) => {
        await world.home.write('elsewhere/bound.txt', 'bound');
        await mkdir(world.inbox.join('bound'));
        bind(world.inbox.join('bound'), world.home.join('elsewhere'));
        await world.sync();
        expect(world.held()).toHaveProperty(['bound/bound.txt'], 'bound');
        await world.rescan();
        unmount(world.inbox.join('bound'));
        await world.restart();
        if (isApproved) expect(await world.engine().approve('inbox')).toHaveLength(0);
        await settled();
        expectHeld('bound/bound.txt');
      },
    );

    it('I3: nor does another directory of the same device that is bound over it', async () => {
      const bound = (path: string) => bind(world.inbox.join('bound'), world.home.join(path));
      await world.home.write('elsewhere/sub/bound.txt', 'bound');
      await world.home.write('other/other.txt', 'other');
      await mkdir(world.inbox.join('bound'));
      bound('elsewhere');
      await world.sync();
      expect(world.held()).toHaveProperty(['bound/sub/bound.txt'], 'bound');
      await world.rescan();
      await world.pass(longMs);
      bound('other');
      await world.restart();
      await settled();
      expectHeld('bound/sub/bound.txt');
      unmount(world.inbox.join('bound'));
      await settled();
      expect(world.held()).toMatchObject({ 'bound/sub/bound.txt': 'bound', 'bound/other.txt': 'other' });
      expect(heldBack()).not.toContain('bound/sub/bound.txt');
    });

    it.each([false, true])(
      'I3: nor does a directory of the same device that is bound over what was sent, while the daemon is off: %s',
      async (isOff) => {
        const place = world.inbox.join('plain');
        await world.home.write('elsewhere/bound.txt', 'bound');
        await world.inbox.write('plain/sub/hidden.txt', 'hidden');
        await world.sync();
        expect(world.held()).toHaveProperty(['plain/sub/hidden.txt'], 'hidden');
        bind(place, world.home.join('elsewhere'));
        if (isOff) await world.restart();
        await settled();
        expectHeld('plain/sub/hidden.txt');
        expect(world.held()).toHaveProperty(['plain/bound.txt'], 'bound');
        unmount(place);
        await settled();
        expect([deletions(), Object.keys(world.held()).sort()]).toEqual([
          [],
          ['plain/bound.txt', 'plain/sub/hidden.txt', 'top.txt', 'usb/deep.txt'],
        ]);
      },
    );

    it('F39: nor when something else is mounted over it', async () => {
      cover(world.inbox.join('usb'));
      await settled();
      expectHeld('usb/deep.txt');
    });

    it('F39: a person may say that it is gone for good', async () => {
      unmount(world.inbox.join('usb'));
      await settled();
      await world.engine().approve('inbox');
      await world.sync();
      expect([deletions(), Object.keys(world.held())]).toEqual([['delete'], ['top.txt']]);
    });

    it('deletes what is deleted while it is mounted', async () => {
      await writeFile(world.inbox.join('usb/other.txt'), 'other');
      await world.sync();
      await rm(world.inbox.join('usb/deep.txt'));
      await world.sync();
      expect(world.held()).toEqual({ 'top.txt': 'top', 'usb/other.txt': 'other' });
    });
  });
});

describeWhere(missing(), 'a mount that came and went between two scans of everything', () => {
  it('I3: takes no document with it', async () => {
    const world = await syncedFolder({ settings: { watch: 'native' } });
    const place = world.inbox.join('m');
    mkdirSync(place);
    mount('-t', 'tmpfs', 'tmpfs', place);
    await world.inbox.write('m/a.txt', 'a');
    await world.until(() => world.service.calls.length > 0);
    expect(world.service.calls).toEqual(['upload']);
    await world.restart(() => unmount(place));
    await world.pass(longMs);
    const held = [...world.engine().tasks.in('held')].map(({ ref }) => ref.path);
    const { calls } = world.service;
    await world.close();
    expect([calls, held]).toEqual([['upload'], ['m/a.txt']]);
  });
});

describe('a root that goes', () => {
  it('F39: deletes nothing while it is renamed away, nor when an empty one stands in its place', async () => {
    const world = await syncedFolder({ before: (inbox) => inbox.write('one.txt', '1') });
    const away = world.home.join('away');
    await rename(world.inbox.path, away);
    await world.rescan();
    expect(world.port().health().state).toBe('unavailable');
    await world.pass(longMs);
    await mkdir(world.inbox.path);
    await world.rescan();
    await world.pass(longMs);
    expect(Object.keys(world.held())).toEqual(['one.txt']);
    await rm(world.inbox.path, { recursive: true });
    await rename(away, world.inbox.path);
    await world.sync();
    expect([world.service.calls, [...world.engine().tasks.in('held')]]).toEqual([['upload'], []]);
    await world.close();
  });

  it('F41: waits for a root that is not there, says so, and begins when it comes', async () => {
    const world = await folderWorld({ before: (folder) => rm(folder.path, { recursive: true }) });
    expect(world.port.health()).toMatchObject({
      state: 'unavailable',
      reasons: [{ code: 'folder-missing', message: expect.stringContaining(world.path) }],
    });
    expect(await world.port.inspect('x.txt')).toMatchObject({ kind: 'unknown' });
    await world.write('x.txt', 'x');
    await eventually(() => world.documents().includes('x.txt'));
    await eventually(() => world.port.health().state === 'watching');
    expect(world.port.health().reasons).toEqual([]);
    await world.close();
  });
});
