import { setImmediate as nextTurn } from 'node:timers/promises';

import type { FileStat, Inspection } from '../../../src/model/document.ts';
import type { ContentSource, FolderListener, FolderPort } from '../../../src/model/ports/folder-port.ts';
import type { FolderSettings } from '../../../src/model/settings.ts';
import { hashFile, openSource } from '../../../src/scan/content.ts';
import { folderHealth } from '../../../src/scan/folder-health.ts';
import type { FolderTrouble } from '../../../src/scan/folder-health.ts';
import { createFolderState, locateOnDisk } from '../../../src/scan/folder-state.ts';
import { attaches } from '../../../src/scan/inspect/attaches.ts';
import { findFiles } from '../../../src/scan/inspect/find-files.ts';
import { createInspector } from '../../../src/scan/inspect/inspect.ts';
import { createScheduler } from '../../../src/scan/scheduler.ts';
import { unpackScan } from '../../../src/model/packed-files.ts';
import { readRoot, mountsBelow } from '../../../src/scan/walk/root-identity.ts';
import { createScanner } from '../../../src/scan/walk/scanner.ts';
import { createWatchSet } from '../../../src/scan/watch/watch-set.ts';
import type { ScanOutcome, ScanReport } from '../../../src/scan/walk/scan-request.ts';
import { engineTiming } from './engine-world.ts';
import type { ManualClock } from '../manual-clock.ts';

/** A file that goes out. */
export interface ScannedSource extends ContentSource {
  readonly path: string;
}

export interface ScannedFolder extends FolderPort {
  /** As a watcher does: something changed in this directory. */
  readonly changed: (directory: string) => void;
  /** It reads the disk at this moment. */
  readonly isReading: () => boolean;
}

const rootRetryMs = 1_000;

/** A folder on disk, scanned and inspected by the real code in this very thread, under a clock in hand. */
export function scannedFolder(settings: FolderSettings, clock: ManualClock): ScannedFolder {
  const root = settings.path;
  const { settleMs, removeGraceMs } = engineTiming;
  const maxFileBytes = 1024 * 1024;
  const state = createFolderState(
    { settings, maxFileBytes, settleMs, removeGraceMs, root, excluded: null, backend: null },
    () => 0,
  );
  const watches = createWatchSet(state, { changed: () => {}, lost: () => {} });
  let listener: FolderListener | null = null;
  let reading = 0;
  let closed = false;
  let trouble: FolderTrouble = null;
  let report: ScanReport | null = null;

  const scanner = createScanner(state, watches, async (scans) => {
    for (const packed of scans) {
      if (closed) continue;
      listener?.directory(unpackScan(settings.name, packed));
    }
  });
  const inspector = createInspector(state, (directory) => scheduler.changed([directory]));
  const scheduler = createScheduler({
    clock,
    timing: engineTiming,
    scan: (request) => read(() => scanner.scan(request)),
    done,
  });

  /** A thread of its own would take its time, too. */
  async function read<T>(question: () => T | Promise<T>): Promise<T> {
    reading += 1;
    try {
      await nextTurn();
      state.observations.moment(clock.monotonic());
      return await question();
    } finally {
      reading -= 1;
    }
  }

  function done(outcome: ScanOutcome): void {
    if (closed || outcome.kind === 'moved') return;
    trouble = outcome.kind === 'unavailable' ? outcome : null;
    if (outcome.kind === 'unavailable') {
      clock.after(rootRetryMs, () => void scheduler.everything('start', true));
      return;
    }
    ({ report } = outcome);
    if (outcome.full && !outcome.late) listener?.scanned(outcome.root, outcome.unreadable);
  }

  function wanted(path: string, stat: FileStat) {
    return { absolute: locateOnDisk(state, path), root, stat, followSymlinks: false };
  }

  return {
    name: settings.name,
    path: root,
    changed: (directory) => scheduler.changed([directory]),
    isReading: () => reading > 0,
    start: async (to) => {
      listener = to;
      await scheduler.everything('start', true);
    },
    rescan: (cause) => scheduler.everything(cause, false),
    inspect: (path, sentWith): Promise<Inspection> => read(() => inspector(path, sentWith)),
    attaches: (question) => read(() => attaches(state, question)),
    find: async (files, since) => {
      const found = await read(() => findFiles(state, { files, since }));
      scheduler.changed(found?.changed ?? []);
      return found;
    },
    mounts: () => Promise.resolve(mountsBelow(root)),
    rootNow: () => {
      const now = readRoot(root);
      return Promise.resolve(now.kind === 'there' ? { ...now.identity, path: root } : null);
    },
    missingPart: () => Promise.resolve(null),
    hash: (path, stat) => read(() => hashFile(wanted(path, stat))),
    open: async (path, stat): Promise<ScannedSource> => ({
      ...(await read(() => openSource(wanted(path, stat)))),
      path,
    }),
    health: () =>
      folderHealth({
        clock,
        trouble,
        report,
        busy: scheduler.busy(),
        coveredUntil: scheduler.coveredUntil(),
      }),
    close: () => {
      closed = true;
      listener = null;
      scheduler.close();
      return watches.begin(null);
    },
  };
}
