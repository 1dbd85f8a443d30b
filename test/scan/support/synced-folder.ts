import { readdir, rename, stat, utimes } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { DirectoryScan } from '../../../src/model/document.ts';
import { modeOf } from '../../../src/model/metadata/metadata.ts';
import type { ShareMode } from '../../../src/model/metadata/metadata.ts';
import type { FolderPort } from '../../../src/model/ports/folder-port.ts';
import type { FolderSettings, SafetySettings, ServiceSettings } from '../../../src/model/settings.ts';
import { openFolder } from '../../../src/scan/folder.ts';
import { engineTiming, engineWorld } from '../../support/worlds/engine-world.ts';
import type { EngineWorld } from '../../support/worlds/engine-world.ts';
import { eventually } from '../../support/eventually.ts';
import { threadlessScan } from './threadless-scan.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import type { RecordedLog } from '../../support/recorded-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { TemporaryFolder } from '../../support/temporary-folder.ts';
import { folderSettingsOf } from '../../support/fixtures/default-settings.ts';
import { subfolder } from './folder-world.ts';

/**
 * A folder on disk under the real engine, with a service in memory and a clock in hand. No event comes unless it is
 * told to watch: the engine sees the disk when the test says so.
 */
export interface SyncedFolder extends Omit<EngineWorld, 'folder' | 'quiesce'> {
  readonly inbox: TemporaryFolder;
  readonly home: TemporaryFolder;
  readonly log: RecordedLog;
  readonly port: () => FolderPort;
  /** Renames in the folder. */
  readonly move: (from: string, to: string) => Promise<void>;
  /** Saves a file as most programs do: under another name first, and renamed then. */
  readonly save: (path: string, content: string) => Promise<void>;
  /** Scans everything, so that the engine knows the disk as it is at this instant. No time passes. */
  readonly rescan: (cause?: DirectoryScan['cause']) => Promise<void>;
  /** Lets everything be done that can be done now, then `ms` pass on the clock in hand, and so on. */
  readonly pass: (ms: number) => Promise<void>;
  /** Gives files of a directory that bear a time of the disk's clock the one that the clock in hand shows. */
  readonly timestamp: (directory: string) => Promise<void>;
  /** Scans, then lets time pass until nothing moves any more. */
  readonly sync: () => Promise<void>;
  /** Path → content at the service. */
  readonly held: () => Readonly<Record<string, string>>;
  /** Path → sharing mode at the service. */
  readonly modes: () => Readonly<Record<string, ShareMode>>;
}

interface Options {
  readonly settings?: Partial<FolderSettings>;
  readonly safety?: Partial<SafetySettings>;
  readonly service?: Partial<ServiceSettings>;
  /** Fills the folder before it is scanned first. */
  readonly before?: (inbox: TemporaryFolder) => Promise<unknown>;
}

const stepMs = 100;
/** How long a slow machine may take, ms of its own clock. */
const quiesceMs = 20_000;
/** What was written just now, by the disk's clock, can be told from what bears a time of the clock in hand. */
const aheadMs = 3_600_000;

export async function syncedFolder(options: Options = {}): Promise<SyncedFolder> {
  const home = await temporaryFolder();
  const inbox = await subfolder(home, 'inbox');
  await options.before?.(inbox);
  const log = recordedLog();
  let port: FolderPort;
  const world = await engineWorld({
    wallClock: Date.now() + aheadMs,
    service: { requestsPerMinute: 5_000, ...options.service },
    ...(options.safety === undefined ? {} : { safety: options.safety }),
    port: (clock) => {
      const settings = folderSettingsOf(inbox.path, { watch: 'polling', ...options.settings });
      port = openFolder(settings, {
        settings: { timing: engineTiming, service: { maxFileMegabytes: 1 }, state: { dir: '/nonexistent' } },
        clock,
        log,
        ...(settings.watch === 'polling' ? { thread: threadlessScan } : {}),
      });
      return port;
    },
  });
  const move = (from: string, to: string) => rename(inbox.join(from), inbox.join(to));
  const rescan = (cause: DirectoryScan['cause'] = 'event') => port.rescan(cause);

  let uploadsFrom = 0;

  /** What can be done without time passing is done. */
  async function still(): Promise<void> {
    const isWaiting = world.clock.monotonic() < uploadsFrom;
    const active = ['inspect', 'inspecting', 'sending', ...(isWaiting ? [] : ['ready' as const])] as const;
    const { tasks } = world.engine();
    await eventually(() => active.every((kind) => tasks.in(kind).size === 0), {
      everyMs: 1,
    });
    // Permits come from a limiter with timers of its own.
    if (isWaiting && tasks.in('ready').size > 0) await delay(1);
  }

  async function timestamp(directory: string): Promise<void> {
    const now = new Date(world.clock.now());
    for (const { name } of (await readdir(directory, { withFileTypes: true })).filter((one) =>
      one.isFile(),
    )) {
      const { mtimeMs } = await stat(`${directory}/${name}`);
      if (mtimeMs < Date.now() + aheadMs / 2) await utimes(`${directory}/${name}`, now, now);
    }
  }

  function isMoving(): boolean {
    const { tasks } = world.engine();
    const active = ['inspect', 'inspecting', 'ready', 'sending'] as const;
    return port.health().busy || active.some((kind) => tasks.in(kind).size > 0);
  }

  async function quiesce(): Promise<void> {
    let quiet = 0;
    const deadline = performance.now() + quiesceMs;
    while (performance.now() < deadline) {
      // The disk and the scanning thread take their time, whatever the clock in hand says.
      const moves = isMoving();
      // So does what follows from the last answer.
      if (moves || world.engine().isIdle()) await delay(1);
      quiet = world.engine().isIdle() ? quiet + 1 : 0;
      if (quiet > 2) return;
      const nothingFor = moves || quiet > 0 ? 0 : (world.clock.untilNext() ?? 0);
      await world.clock.advance(Math.max(stepMs, nothingFor));
    }
    throw new Error(
      `still busy: ${[...world.engine().tasks.all()].map(({ key, state }) => `${key} ${state.kind}`).join('; ')}`,
    );
  }

  const synced: SyncedFolder = {
    ...world,
    inbox,
    home,
    log,
    port: () => port,
    move,
    save: async (path, content) => {
      await inbox.write('.new', content);
      await move('.new', path);
    },
    rescan,
    restart: (meanwhile) => {
      uploadsFrom = world.clock.monotonic() + engineTiming.removeGraceMs + stepMs;
      return world.restart(meanwhile);
    },
    timestamp,
    pass: async (ms) => {
      for (let passed = 0; passed < ms; passed += stepMs) {
        await still();
        await world.clock.advance(stepMs);
      }
      await still();
    },
    sync: async () => {
      await rescan();
      await quiesce();
    },
    held: () =>
      Object.fromEntries(
        [...world.docIds()].map(([path, docId]) => [path, world.service.documents.get(docId)?.content ?? '']),
      ),
    modes: () =>
      Object.fromEntries(
        [...world.docIds()].map(([path, docId]) => [
          path,
          modeOf(world.service.documents.get(docId)?.metadata ?? {}),
        ]),
      ),
    close: async () => {
      await world.close();
      await home.remove();
    },
  };
  await quiesce();
  return synced;
}
