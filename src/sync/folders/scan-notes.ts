import type { Clock } from '../../lib/time/clock.ts';
import { isAtOrBelow, joinPath } from '../../model/document.ts';
import type { DirectoryScan, ScanCause } from '../../model/document.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import type { LedgerPort, RootIdentity } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { LedgerCommits } from '../send/ledger-commits.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { FolderRoots } from './folder-roots.ts';
import type { KnownDirectories } from './known-directories.ts';
import { isRootTrusted } from './root-trust.ts';
import type { WatchedFolders } from './watched-folders.ts';

/** A change older than this that only a rescan found was missed by the watcher. */
const watcherReportsWithinMs = 2_000;

interface Options {
  readonly clock: Clock;
  readonly log: LogPort;
  readonly ledger: LedgerPort;
  readonly folders: WatchedFolders;
  readonly directories: KnownDirectories;
  readonly roots: FolderRoots;
  readonly writer: Pick<LedgerCommits, 'commit'>;
  readonly tasks: Pick<TaskStore, 'inDirectory' | 'backlog'>;
}

/** What scans say of a folder besides its documents: its root, mounts and directories. */
export class ScanNotes {
  readonly #options: Options;
  readonly #clock: Clock;
  readonly #ledger: LedgerPort;
  readonly #folders: WatchedFolders;

  constructor(options: Options) {
    this.#options = options;
    this.#clock = options.clock;
    this.#ledger = options.ledger;
    this.#folders = options.folders;
  }

  /** A directory was listed: where it stands, on which devices its files are, what is mounted there. */
  directoryListed({ folder, directory, identity, entries, deep }: DirectoryScan): void {
    const { directories, roots } = this.#options;
    const view = this.#folders.viewOf(folder);
    // A scan of everything begins with the root.
    if (directory === '') {
      view.noteClocks(this.#clock);
      view.scanBegins(identity, this.#clock.now());
    }
    // What has come into the ledger since, for a directory that was gone by then, is compared too.
    if (directory === '' || deep === 'from here')
      for (const known of this.#ledger.directories(folder))
        if (isAtOrBelow(known, directory)) view.tree.add(known);
    const isNew = view.noteDirectory(directory, identity, this.#clock.monotonic());
    if (isNew && directory !== '') directories.note({ folder, path: directory }, identity);
    // A scan of everything ends with reading the mounts. Between two of them files on a new mount may be sent.
    if (isNew && view.isScanned && !view.isRootChanged) this.inBackground(roots.noticeMounts(folder));
    for (const { stat } of entries) view.noteDevice(stat.dev, identity.dev);
  }

  /** A file in the directory is as it was recorded: the root is the one that it was. */
  rootProved({ folder, directory, identity }: DirectoryScan, name: string): void {
    const view = this.#folders.viewOf(folder);
    view.proved();
    // One file speaks for all: the number of a device changes for the whole directory.
    const ref = { folder, path: joinPath(directory, name) };
    const recorded = (this.#ledger.get(ref) ?? this.#ledger.failure(ref))?.stat.dev;
    if (recorded !== undefined) view.noteDevice(recorded, identity.dev);
  }

  /** A change that was made at `changedAt` (wall clock, ms) was found. Counts what the watcher should have reported. */
  changeFound(folder: string, cause: ScanCause, changedAt: number): void {
    if (cause === 'rescan' && this.#clock.now() - changedAt >= watcherReportsWithinMs)
      this.#folders.viewOf(folder).countMissed();
  }

  /** Every directory was listed: the ledger learns the root, mounts and directories, where they are others. */
  folderScanned(folder: string, root: RootIdentity): void {
    const { directories, log, roots, writer, tasks } = this.#options;
    const view = this.#folders.viewOf(folder);
    const isTrusted = isRootTrusted(this.#ledger, folder, { root, isProven: view.isProven });
    if (!isTrusted && !view.isRootChanged) {
      const about = { folder, path: root.path };
      log.warn(about, 'folder is not the same directory as before; deletions held');
    }
    const isReadWhole = !this.#folders.hasUnreadable(folder);
    const seenAt = view.scanEnds({ isTrusted, isReadWhole, now: this.#clock.monotonic() });
    if (!isTrusted) return;
    this.inBackground(roots.rememberRoot(folder, root, seenAt));
    this.inBackground(roots.rememberMounts(folder, true));
    const changed = directories.toRemember(folder, tasks);
    if (changed.length > 0) this.inBackground(writer.commit(changed));
  }

  /** Nobody waits for this: the next scan does again what a stop ended. What else fails is unexpected. */
  inBackground(work: Promise<void>): void {
    void work.catch((error: unknown) => {
      if (errorCode(error) !== 'stopped')
        this.#options.log.error({ error: errorMessage(error) }, 'what a scan found could not be noted');
    });
  }
}
