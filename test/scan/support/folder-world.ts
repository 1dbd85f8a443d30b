import { mkdir } from 'node:fs/promises';

import { joinPath } from '../../../src/model/document.ts';
import type { DirectoryScan, FoundDocument, Inspection, Skip } from '../../../src/model/document.ts';
import type { FolderPort } from '../../../src/model/ports/folder-port.ts';
import type { RootIdentity } from '../../../src/model/ports/ledger-port.ts';
import type { FolderSettings, TimingSettings } from '../../../src/model/settings.ts';
import { systemClock } from '../../../src/lib/time/clock.ts';
import { openFolder } from '../../../src/scan/folder.ts';
import type { FolderOptions } from '../../../src/scan/folder.ts';
import { folderSettingsOf, timingSettingsOf } from '../../support/fixtures/default-settings.ts';
import { eventually } from '../../support/eventually.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import type { RecordedLog } from '../../support/recorded-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { TemporaryFolder } from '../../support/temporary-folder.ts';

/** Paths of the documents that a scan of one directory found. */
export function scannedPaths({ directory, entries }: DirectoryScan): string[] {
  return entries.map(({ name }) => joinPath(directory, name));
}

/** A watched folder and what a caller would know of it by now. */
export interface FolderWorld extends Omit<TemporaryFolder, 'remove'> {
  /** Where `path` lies: what stands beside it is not watched. */
  readonly home: TemporaryFolder;
  readonly port: FolderPort;
  readonly log: RecordedLog;
  /** Everything that was told, in order. */
  readonly scans: readonly DirectoryScan[];
  readonly scanned: readonly RootIdentity[];
  /** Paths of all documents that are known to stand there, sorted. */
  readonly documents: () => readonly string[];
  readonly skips: () => readonly Skip[];
  /** Looks until the answer is neither settling nor unknown. */
  readonly inspect: (path: string) => Promise<Inspection>;
  /** The document at a path; throws for any other answer. */
  readonly document: (path: string) => Promise<FoundDocument>;
  readonly close: () => Promise<void>;
}

interface WorldOptions {
  readonly settings?: Partial<FolderSettings>;
  readonly timing?: Partial<TimingSettings>;
  readonly maxFileBytes?: number;
  readonly watcher?: FolderOptions['watcher'];
  /** Fills the folder before it is scanned first. */
  readonly before?: (folder: TemporaryFolder) => Promise<unknown>;
}

export const quickTiming = timingSettingsOf({
  settleMs: 120,
  removeGraceMs: 300,
  rescanMinutes: 60,
  pollSeconds: 60,
});

/** Opens a folder over a directory of its own, and scans it. */
export async function folderWorld(options: WorldOptions = {}): Promise<FolderWorld> {
  const home = await temporaryFolder();
  const folder = await subfolder(home, 'inbox');
  await options.before?.(folder);
  const log = recordedLog();
  const known = new Map<string, DirectoryScan>();
  const scans: DirectoryScan[] = [];
  const scanned: RootIdentity[] = [];
  const port = openFolder(folderSettingsOf(folder.path, options.settings), {
    settings: {
      timing: { ...quickTiming, ...options.timing },
      service: { maxFileMegabytes: (options.maxFileBytes ?? 1024 * 1024) / 1024 ** 2 },
      state: { dir: '/nonexistent' },
    },
    clock: systemClock,
    log,
    ...(options.watcher === undefined ? {} : { watcher: options.watcher }),
  });
  await port.start({
    directory: (scan) => {
      if (scan.isShut === true) return;
      scans.push(scan);
      known.set(scan.directory, scan);
    },
    scanned: (identity) => scanned.push(identity),
    changed: () => undefined,
  });

  function reachable(): readonly DirectoryScan[] {
    const found: DirectoryScan[] = [];
    const visit = (directory: string) => {
      const scan = known.get(directory);
      if (scan === undefined) return;
      found.push(scan);
      for (const name of scan.subdirectories) visit(joinPath(directory, name));
    };
    visit('');
    return found;
  }

  const inspect = (path: string): Promise<Inspection> =>
    eventually(
      async () => {
        const answer = await port.inspect(path);
        return answer.kind === 'settling' || answer.kind === 'unknown' ? null : answer;
      },
      { everyMs: 5 },
    );

  return {
    ...folder,
    home,
    port,
    log,
    scans,
    scanned,
    documents: () => reachable().flatMap(scannedPaths).sort(),
    skips: () => reachable().flatMap((scan) => scan.skips),
    inspect,
    document: async (path) => {
      const answer = await inspect(path);
      if (answer.kind !== 'document') throw new Error(`${path} is ${JSON.stringify(answer)}`);
      return answer.document;
    },
    close: async () => {
      await port.close();
      await home.remove();
    },
  };
}

/** A directory inside a temporary folder, with the same handles. */
export async function subfolder(home: TemporaryFolder, name: string): Promise<TemporaryFolder> {
  const path = home.join(name);
  await mkdir(path, { recursive: true });
  return {
    path,
    write: (file, content) => home.write(`${name}/${file}`, content),
    join: (...names) => home.join(name, ...names),
    remove: home.remove,
  };
}
