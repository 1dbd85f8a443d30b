import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { directoryOf } from '../../../src/model/document.ts';
import { folderSettingsOf } from '../fixtures/default-settings.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { engineWorld } from './engine-world.ts';
import type { EngineWorld } from './engine-world.ts';
import { scannedFolder } from './scanned-folder.ts';
import type { ScannedFolder } from './scanned-folder.ts';

/** A folder on disk whose settings state EVERYONE, under the real engine and the real scan. */
export interface DiskWorld extends EngineWorld {
  /** Absolute, of a path in the folder. */
  readonly place: (path: string) => string;
  /** Changes the disk, and says in which directories. */
  readonly change: (act: DiskAct) => Promise<void>;
}

/** One change of the disk. */
type DiskAct = (disk: Disk) => void;

/** Paths are below the folder; what begins with `~/` lies outside it. */
interface Disk {
  readonly write: (path: string, content: string) => void;
  readonly rename: (from: string, to: string) => void;
  readonly remove: (path: string) => void;
}

/** `slow`: how long the next commit takes, ms of the clock in hand. */
export async function diskWorld({ slow }: { readonly slow?: () => number } = {}): Promise<DiskWorld> {
  const home = await temporaryFolder();
  const root = home.join('inbox');
  const outside = home.join('outside');
  for (const directory of [root, outside]) mkdirSync(directory);
  let folder: ScannedFolder | null = null;
  let writes = 0;
  const world = await engineWorld({
    wallClock: Date.now() + 86_400_000,
    safety: { maxDeleteCount: 1_000 },
    service: { requestsPerMinute: 1_000 },
    ...(slow === undefined ? {} : { slow }),
    isReading: () => folder?.isReading() ?? false,
    port: (clock) => {
      const metadata = { shareInfo: { mode: 'EVERYONE' } } as const;
      folder = scannedFolder(folderSettingsOf(root, { watch: 'polling', metadata }), clock);
      return folder;
    },
  });
  world.service.beStrict();
  const place = (path: string) => (path.startsWith('~/') ? join(outside, basename(path)) : join(root, path));

  /** Its clock is not the one in hand. No two writes bear the same time. */
  function stamp(path: string): void {
    const seconds = world.clock.now() / 1_000 - writes / 1e6;
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) utimesSync(path, seconds, seconds);
  }

  function makeRoom(path: string): void {
    const first = mkdirSync(dirname(place(path)), { recursive: true });
    if (first !== undefined) stamp(dirname(first));
  }

  /** Gives the directories that were touched. */
  function act(what: DiskAct): ReadonlySet<string> {
    const touched = new Set<string>();
    const touch = (path: string) => {
      if (!path.startsWith('~/')) touched.add(directoryOf(path));
    };
    what({
      write: (path, content) => {
        touch(path);
        const isNew = !existsSync(place(path));
        makeRoom(path);
        writeFileSync(place(path), content);
        writes += 1;
        stamp(place(path));
        if (isNew) stamp(dirname(place(path)));
      },
      rename: (from, to) => {
        touch(from);
        touch(to);
        makeRoom(to);
        renameSync(place(from), place(to));
        for (const one of [dirname(place(from)), dirname(place(to))]) stamp(one);
      },
      remove: (path) => {
        touch(path);
        rmSync(place(path), { recursive: true });
        stamp(dirname(place(path)));
      },
    });
    return touched;
  }

  return {
    ...world,
    place,
    change: async (what) => {
      await world.rest();
      for (const directory of act(what)) folder?.changed(directory);
    },
    close: async () => {
      await world.close();
      await home.remove();
    },
  };
}
