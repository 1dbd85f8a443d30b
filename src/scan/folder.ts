import { resolve } from 'node:path';

import PQueue from 'p-queue';

import { pathBelow, pathInside } from '../lib/files/path-inside.ts';
import type { Clock } from '../lib/time/clock.ts';
import { readAgainMs } from '../model/back-off.ts';
import { sameDirectory } from '../model/document.ts';
import type { DirectoryScan, FileStat, Inspection, RootMarks } from '../model/document.ts';
import { errorMessage, StoppedError } from '../model/errors.ts';
import type { FolderListener, FolderPort } from '../model/ports/folder-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { FolderSettings, Settings } from '../model/settings.ts';
import { findMissingPart, hashFile, openSource, smallFileBytes } from './content.ts';
import type { Wanted } from './content.ts';
import { folderHealth, createFolderLog } from './folder-health.ts';
import type { FolderTrouble } from './folder-health.ts';
import type { FolderPlan } from './folder-state.ts';
import { createScheduler } from './scheduler.ts';
import type { Scheduler } from './scheduler.ts';
import { tellsItsEnd } from './rules/missing-part.ts';
import type { ScanOutcome, ScanReport, ScanRequest } from './walk/scan-request.ts';
import { unpackInspection } from './worker/packed-inspection.ts';
import { createWorkerClient } from './worker/client.ts';
import type { WorkerClient } from './worker/client.ts';
import { takeThread } from './worker/spare-thread.ts';
import type { ScanThread } from './worker/spare-thread.ts';
import type { Watcher } from './watch/backend.ts';

/** What folders are opened with. */
export interface FolderOptions {
  /** Nothing in the state directory is ever looked at, should it lie in the folder. */
  readonly settings: Pick<Settings, 'timing'> & {
    readonly service: Pick<Settings['service'], 'maxFileMegabytes'>;
    readonly state: Pick<Settings['state'], 'dir'>;
  };
  readonly clock: Clock;
  readonly log: LogPort;
  /** Who watches; without a word, the size of the tree decides. */
  readonly watcher?: Watcher['kind'];
  /** What scans; left out: a thread of its own. */
  readonly thread?: () => ScanThread;
}

/** A folder that can begin before anybody listens. */
export interface Folder extends FolderPort {
  /** Begins the first scan ahead of `start`; what it finds is kept for the listener. */
  readonly prepare: () => void;
}

/** How often the root's identity is asked for: a mount over it causes no event. */
const rootCheckMs = 2_000;

const mebibyte = 1024 * 1024;

/** Makes a folder ready to be watched or inspected. Nothing is read before the first call. */
export function openFolder(settings: FolderSettings, options: FolderOptions): Folder {
  const { clock, log } = options;
  const { timing } = options.settings;
  const root = resolve(settings.path);
  const logWatching = createFolderLog(log, settings);
  /** Each has a file open and a buffer of a megabyte. */
  const largeFiles = new PQueue({ concurrency: 4 });
  let client: WorkerClient | null = null;
  let scheduler: Scheduler | null = null;
  let listener: FolderListener | null = null;
  let firstScan: Promise<void> | null = null;
  let hear = () => {};
  const heard = new Promise<void>((resolve) => (hear = resolve));
  let trouble: FolderTrouble = null;
  /** Scans in a row that found the root there, and could not list it. */
  let failedScans = 0;
  let report: ScanReport | null = null;
  let identity: RootMarks | null = null;
  let closed = false;
  let cancelCheck = () => {};

  function worker(): WorkerClient {
    if (closed) throw new StoppedError();
    client ??= createWorkerClient(
      options.thread?.() ?? takeThread(),
      workerPlan(settings, options, root),
      clock,
      {
        heard,
        directory: (scan: DirectoryScan) => listener?.directory(scan),
        changed: (directories) => scheduler?.changed(directories),
        lost: ({ code, message }) => {
          log.warn(
            { folder: settings.name, code, reason: message },
            'watcher may have missed changes; rescanning',
          );
          scheduler?.lost(code !== 'queue-overflow');
        },
        died: (message) => {
          client = null;
          unavailable({ code: 'folder-unavailable', message: `its scan thread failed: ${message}` });
        },
      },
    );
    return client;
  }

  const ask: WorkerClient['ask'] = (kind, ...question) => worker().ask(kind, ...question);

  async function scan(request: ScanRequest): Promise<ScanOutcome> {
    try {
      listener?.changed();
      return await ask('scan', request);
    } catch (error) {
      return { kind: 'unavailable', code: 'folder-unavailable', message: errorMessage(error) };
    }
  }

  function done(outcome: ScanOutcome): void {
    if (outcome.kind === 'unavailable') {
      unavailable(outcome, trouble === null ? 1 : failedScans + 1);
      return;
    }
    if (outcome.kind === 'scanned') {
      if (outcome.full) trouble = null;
      report = outcome.report;
      // A few directories of a root that was away say nothing of the rest: the next look at it scans all.
      if (trouble === null) identity = outcome.root;
      logWatching(report);
      if (outcome.full) listener?.scanned(outcome.root, outcome.unreadable);
    }
    listener?.changed();
  }

  function unavailable(reason: NonNullable<FolderTrouble>, scans = 0): void {
    if (closed) return;
    failedScans = scans;
    trouble = { code: reason.code, message: reason.message };
    identity = null;
    listener?.changed();
    checkLater();
  }

  function checkLater(): void {
    cancelCheck();
    if (scheduler === null || closed) return;
    const againMs = Math.min(readAgainMs(failedScans), timing.pollSeconds * 1_000);
    cancelCheck = clock.after(trouble === null ? rootCheckMs : againMs, () => void checkRoot());
  }

  /** Sees whether the root is still, or again, the one that is watched. Never rejects. */
  async function checkRoot(): Promise<void> {
    try {
      const now = await ask('root');
      const same = now.kind === 'there' && identity !== null && sameDirectory(identity, now.identity);
      if (now.kind === 'unavailable') unavailable(now);
      else if (!same) await scheduler?.everything('start', true);
    } catch (error) {
      unavailable({ code: 'folder-unavailable', message: errorMessage(error) });
    }
    checkLater();
  }

  async function wanted(given: string, stat: FileStat): Promise<Wanted> {
    const path = given.normalize('NFC');
    // Names of ASCII stand on disk as they are.
    const isAscii = !/[^\0-\x7f]/.test(path);
    return { absolute: isAscii ? pathBelow(root, path) : await ask('locate', path), root, stat };
  }

  function prepare(): Promise<void> {
    scheduler ??= createScheduler({ clock, timing, scan, done });
    firstScan ??= scheduler.everything('start', true);
    return firstScan;
  }

  return {
    name: settings.name,
    path: settings.path,
    prepare: () => void prepare(),
    start: async (to) => {
      listener = to;
      hear();
      await prepare();
      checkLater();
    },
    rescan: async (cause) => scheduler?.everything(cause, false),
    inspect: async (path, sentWith): Promise<Inspection> => {
      try {
        return unpackInspection(await ask('inspect', path, sentWith));
      } catch (error) {
        return { kind: 'unknown', code: 'folder-unavailable', message: errorMessage(error) };
      }
    },
    attaches: (question) => ask('attaches', question).catch(() => 'unclear'),
    find: async (files) => {
      // What cannot be listed as a whole shows nothing of what may stand in it.
      const found = trouble === null ? await ask('find', files).catch(() => null) : null;
      if (found !== null && found.unlisted.length > 0) scheduler?.changed(found.unlisted);
      return found;
    },
    mounts: () => ask('mounts').catch(() => null),
    rootNow: async () => {
      const now = await ask('root');
      return now.kind === 'there' ? { ...now.identity, path: settings.path } : null;
    },
    hash: async (path, stat) => {
      if (stat.size <= smallFileBytes) {
        const known = await ask('hash', path.normalize('NFC'), stat).catch(() => null);
        if (known !== null) return known;
      }
      return largeFiles.add(async () => (closed ? null : hashFile(await wanted(path, stat))));
    },
    missingPart: async (path, stat) => {
      if (!tellsItsEnd(path)) return null;
      return findMissingPart(await wanted(path, stat)).catch(() => null);
    },
    open: async (path, stat) => openSource(await wanted(path, stat)),
    health: () =>
      folderHealth({
        clock,
        trouble,
        report,
        busy: scheduler?.busy() ?? false,
        coveredUntil: scheduler?.coveredUntil() ?? -Infinity,
      }),
    close: async () => {
      closed = true;
      listener = null;
      cancelCheck();
      scheduler?.close();
      await client?.close();
    },
  };
}

/** What the scanning thread of a folder is started with. `root` is absolute. */
function workerPlan(
  settings: FolderSettings,
  { settings: { timing, service, state: stateSettings }, watcher }: FolderOptions,
  root: string,
): FolderPlan {
  const state = pathInside(root, resolve(stateSettings.dir));
  return {
    settings,
    maxFileBytes: service.maxFileMegabytes * mebibyte,
    settleMs: timing.settleMs,
    removeGraceMs: timing.removeGraceMs,
    root,
    excluded: state === null || state === '' ? null : state.normalize('NFC'),
    backend: watcher ?? null,
  };
}
