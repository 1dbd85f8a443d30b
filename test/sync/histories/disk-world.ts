import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { directoryOf, joinPath } from '../../../src/model/document.ts';
import type { ShareMode } from '../../../src/model/metadata/metadata.ts';
import { folderSettingsOf } from '../../support/fixtures/default-settings.ts';
import { engineTiming, engineWorld } from '../../support/worlds/engine-world.ts';
import type { EngineWorld } from '../../support/worlds/engine-world.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createChronicle } from './chronicle.ts';
import type { Chronicle, StandingFile } from './chronicle.ts';
import { scannedFolder } from './scanned-folder.ts';
import type { ScannedFolder } from './scanned-folder.ts';
import { SentModes } from './sent-modes.ts';

/** A folder on disk with sidecars, attachments and ignore files, under the real engine and the real scan. */
export interface DiskWorld extends EngineWorld {
  readonly chronicle: Chronicle;
  readonly sentModes: SentModes;
  /** What can be seen in the folder by whoever may read everything. */
  readonly files: () => ReadonlyMap<string, StandingFile>;
  /** The same with what mounts hide, and with what is on a file system that is not mounted just now. */
  readonly everywhere: () => readonly (readonly [path: string, file: StandingFile])[];
  /** Changes the disk; `missed`: without an event. Nothing happens where it is impossible. */
  readonly change: (act: DiskAct, options?: { readonly missed?: boolean }) => Promise<void>;
  readonly pass: (ms: number) => Promise<void>;
  /**
   * Kills the process; another begins, with this sharing mode in the folder's settings, after what is done meanwhile.
   */
  readonly begin: (mode: ShareMode, meanwhile?: DiskAct) => Promise<void>;
  readonly mode: () => ShareMode;
  /** A person approves what is held. */
  readonly approve: () => Promise<void>;
  /** DocIds of what was approved: where a volume is away, it is so for good. */
  readonly approved: ReadonlySet<string>;
  /** The disk changed so recently without an event that only a poll can have told of it. */
  readonly hasMissed: () => boolean;
  /** The wall clock jumps. */
  readonly jump: (ms: number) => void;
}

/** One change of the disk. */
export type DiskAct = (disk: Disk) => void;

interface Disk {
  readonly write: (path: string, content: string) => void;
  readonly rename: (from: string, to: string) => void;
  readonly remove: (path: string) => void;
  /** Copies a directory and all that is in it, with its times, to where nothing stands. */
  readonly copy: (from: string, to: string) => void;
  /** Whether the engine may read it from now on. */
  readonly setReadable: (path: string, readable: boolean) => void;
  /**
   * The engine may read everything again, empty directories too: as long as one is shut, a missing file may be in it.
   */
  readonly openAll: () => void;
  /** What is mounted on `m` from now on; null: nothing. */
  readonly mount: (what: 'disk' | 'another' | null) => void;
  /** The root is renamed away, or back. */
  readonly setAway: (away: boolean) => void;
}

interface Options {
  readonly slow: () => number;
  /** The longest of them, ms. */
  readonly slowestMs?: number;
  readonly inDoubt: 'retry' | 'hold';
  readonly requestsPerMinute: number;
  /** `safety.maxDeleteCount`; left out: deletions are held for other reasons alone. */
  readonly maxDeleteCount?: number;
  /** The engine runs as a user who may not read everything, and there are mounts: for root in a mount namespace. */
  readonly barred: boolean;
}

/** What is mounted, and where. */
export const mountPoint = 'm';
/** What is sent was decided so long ago at most where the disk is quick, ms. */
const quickMs = 1_500;
/** A slow disk's commits between the inspection and its request, at most. */
const commitsBefore = 5;
/** Of whoever owns nothing here. */
const nobody = 65_534;

export async function diskWorld({
  slow,
  slowestMs = 3_000,
  inDoubt,
  requestsPerMinute,
  maxDeleteCount = 1_000,
  barred,
}: Options): Promise<DiskWorld> {
  const home = await temporaryFolder();
  const root = home.join('inbox');
  const away = home.join('away');
  const outside = home.join('outside');
  const disk = home.join('disk');
  const beneath = home.join('beneath');
  for (const directory of [root, outside, disk, beneath]) mkdirSync(directory);
  let mounted: 'disk' | 'another' | null = null;
  const mounts: string[] = [];
  if (barred) {
    chmodSync(home.path, 0o755);
    // Without what is mounted in it.
    mount('--bind', root, beneath);
    process.seteuid?.(nobody);
  }
  const chronicle = createChronicle(quickMs + commitsBefore * slowestMs);
  /** By inode number, monotonic ms. */
  const writtenAt = new Map<number, number>();
  /**
   * Inode numbers of files that look old to a process that begins now: the clock jumped ahead after they were written.
   */
  const aged = new Set<number>();
  let folder: ScannedFolder | null = null;
  let writes = 0;
  let mode: ShareMode = 'EVERYONE';
  let missedAt = -Infinity;
  const approved = new Set<string>();
  const world = await engineWorld({
    wallClock: Date.now() + 86_400_000,
    safety: { maxDeleteCount, inDoubt },
    service: { requestsPerMinute },
    slow,
    isReading: () => folder?.isReading() ?? false,
    port: (clock) => {
      const settings = folderSettingsOf(root, { watch: 'polling', metadata: { shareInfo: { mode } } });
      const settledMs = (ino: number) => clock.monotonic() - (writtenAt.get(ino) ?? -Infinity);
      folder = scannedFolder({ settings, clock, listed: chronicle.scanned, settledMs });
      return folder;
    },
  });
  world.service.beStrict();
  const place = (path: string) => (path.startsWith('~/') ? join(outside, basename(path)) : join(root, path));

  function mount(...words: readonly [...string[], string]): void {
    execFileSync('mount', words, { stdio: 'pipe' });
    mounts.push(words.at(-1) ?? '');
  }

  function unmount(): void {
    const to = mounts.pop();
    if (to !== undefined) execFileSync('umount', ['--lazy', to], { stdio: 'pipe' });
  }

  /** What people do, they may do. */
  function asRoot<T>(act: () => T): T {
    if (!barred) return act();
    process.seteuid?.(0);
    try {
      return act();
    } finally {
      process.seteuid?.(nobody);
    }
  }

  function filesIn(top: string, prefix: string): Map<string, StandingFile> {
    const found = new Map<string, StandingFile>();
    const visit = (directory: string) => {
      for (const entry of readdirSync(join(top, directory), { withFileTypes: true })) {
        const path = joinPath(directory, entry.name);
        if (entry.isDirectory()) visit(path);
        else {
          const { ino, birthtimeMs, dev, mtimeMs } = statSync(join(top, path));
          const content = readFileSync(join(top, path), 'utf8');
          const at = writtenAt.get(ino) ?? -Infinity;
          found.set(joinPath(prefix, path), { content, ino, birthtimeMs, dev, mtimeMs, writtenAt: at });
        }
      }
    };
    visit('');
    return found;
  }

  const files = () => asRoot(() => (existsSync(root) ? filesIn(root, '') : new Map<string, StandingFile>()));

  function note(): void {
    chronicle.note({ at: world.clock.monotonic(), files: files(), mode });
  }

  /** Its clock is not the one in hand. */
  function stamp(path: string): void {
    const seconds = world.clock.now() / 1_000 - writes / 1e6;
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) utimesSync(path, seconds, seconds);
  }

  /** Makes the directories of a path, but not the root: what is away is not made again. */
  function makeRoom(path: string): void {
    statSync(root);
    const first = mkdirSync(dirname(place(path)), { recursive: true });
    if (first !== undefined) stamp(dirname(first));
  }

  function write(path: string, content: string): void {
    const isNew = !existsSync(place(path));
    makeRoom(path);
    writeFileSync(place(path), content);
    // No two writes bear the same time.
    writes += 1;
    stamp(place(path));
    if (isNew) stamp(dirname(place(path)));
    const { ino } = statSync(place(path));
    writtenAt.set(ino, world.clock.monotonic());
    aged.delete(ino);
  }

  /** Does it as far as it is possible; gives the directories that were touched. */
  function act(what: DiskAct): ReadonlySet<string> {
    const touched = new Set<string>();
    const touch = (path: string) => {
      if (!path.startsWith('~/')) touched.add(directoryOf(path));
    };
    const doing: Disk = {
      write: (path, content) => {
        touch(path);
        write(path, content);
      },
      rename: (from, to) => {
        touch(from);
        touch(to);
        makeRoom(to);
        renameSync(place(from), place(to));
        for (const one of [dirname(place(from)), dirname(place(to))]) stamp(one);
        if (statSync(place(to)).isDirectory()) stamp(place(to));
      },
      remove: (path) => {
        touch(path);
        rmSync(place(path), { recursive: true });
        stamp(dirname(place(path)));
      },
      copy: (from, to) => {
        if (existsSync(place(to))) return;
        touch(to);
        execFileSync('cp', ['-a', place(from), place(to)], { stdio: 'pipe' });
        // They bear the times of those that they are copies of, and count as no younger.
        for (const { ino } of filesIn(place(to), '').values()) writtenAt.delete(ino);
      },
      setReadable: (path, readable) => {
        touch(path);
        const all = statSync(place(path)).isDirectory() ? 0o755 : 0o644;
        chmodSync(place(path), readable ? all : 0);
        if (all === 0o755) stamp(place(path));
      },
      openAll: () => {
        for (const path of ['', ...readdirSync(root, { recursive: true, encoding: 'utf8' })])
          if ((statSync(place(path)).mode & 0o777) === 0) doing.setReadable(path, true);
      },
      mount: (what) => {
        touch(mountPoint);
        if (mounted === what || !existsSync(root)) return;
        while (mounts.length > 1) unmount();
        mounted = what;
        mkdirSync(place(mountPoint), { recursive: true });
        if (what === 'disk') mount('--bind', disk, place(mountPoint));
        if (what === 'another') mount('-t', 'tmpfs', 'tmpfs', place(mountPoint));
      },
      setAway: (isAway) => {
        touch('');
        if (isAway) renameSync(root, away);
        else renameSync(away, root);
      },
    };
    try {
      asRoot(() => what(doing));
    } catch (error) {
      // Nothing stands there, or something else does.
      if ((error as NodeJS.ErrnoException).code === undefined && !isCommandFailed(error)) throw error;
    }
    return touched;
  }

  return {
    ...world,
    chronicle,
    sentModes: new SentModes(),
    files,
    everywhere: () =>
      asRoot(() => (barred ? [...filesIn(beneath, ''), ...filesIn(disk, mountPoint)] : [...files()])),
    mode: () => mode,
    approved,
    approve: async () => {
      for (const { ref } of world.engine().tasks.in('held'))
        approved.add(world.ledger().get(ref)?.docId ?? '');
      await world.withTime(world.engine().approve('inbox'));
    },
    hasMissed: () => world.clock.monotonic() - missedAt < 2_000 * engineTiming.pollSeconds,
    jump: (ms) => {
      world.clock.jump(ms);
      if (ms > 0) for (const ino of writtenAt.keys()) aged.add(ino);
    },
    change: async (what, { missed = false } = {}) => {
      await world.rest();
      const touched = act(what);
      note();
      if (missed) missedAt = world.clock.monotonic();
      if (!missed) for (const directory of touched) folder?.changed(directory);
    },
    pass: async (ms) => {
      const stepMs = Math.max(100, ms / 20);
      for (let left = ms; left > 0; left -= stepMs) {
        await world.rest();
        await world.clock.advance(Math.min(stepMs, left));
        // Permits come from a limiter with timers of its own.
        if (world.engine().tasks.in('ready').size > 0) await delay(1);
      }
      await world.rest();
    },
    begin: async (next, meanwhile) => {
      await world.restart(() => {
        mode = next;
        if (meanwhile !== undefined) act(meanwhile);
        for (const ino of aged) writtenAt.delete(ino);
        chronicle.restarted(world.clock.monotonic());
        note();
      });
    },
    close: async () => {
      await world.close();
      if (barred) process.seteuid?.(0);
      if (existsSync(away)) renameSync(away, root);
      while (mounts.length > 0) unmount();
      await home.remove();
    },
  };
}

/** A command says with its exit code that it was not possible. */
function isCommandFailed(error: unknown): boolean {
  return typeof (error as { readonly status?: unknown }).status === 'number';
}
