import { isAtOrBelow, joinPath } from '../../model/document.ts';
import type { DirectoryScan, ScanCause } from '../../model/document.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import type { UnreadableDirectory } from '../../model/ports/folder-port.ts';
import type { RootIdentity } from '../../model/ports/ledger-port.ts';
import type { EngineParts } from '../parts.ts';
import type { FolderRoots } from './folder-roots.ts';
import { isRootTrusted } from './root-trust.ts';

/** A change older than this that only a rescan found was missed by the watcher. */
const watcherReportsWithinMs = 2_000;

/** What scans say of a folder besides its documents: its root, mounts and directories. */
export class ScanNotes {
  readonly #parts: EngineParts;
  readonly #roots: FolderRoots;

  constructor(parts: EngineParts, roots: FolderRoots) {
    this.#parts = parts;
    this.#roots = roots;
  }

  /** A directory was listed: where it stands, on which devices its files are, what is mounted there. */
  directoryListed({ folder, directory, identity, entries, deep }: DirectoryScan): void {
    const { clock, directories, folders, ledger } = this.#parts;
    const view = folders.viewOf(folder);
    // A scan of everything begins with the root.
    if (directory === '') view.scanBegins(identity, folders.moment());
    // What has come into the ledger since, for a directory that was gone by then, is compared too.
    if (directory === '' || deep === 'from here')
      for (const known of ledger.directories(folder)) if (isAtOrBelow(known, directory)) view.tree.add(known);
    const isNew = view.noteDirectory(directory, identity, clock.monotonic());
    if (isNew && directory !== '') directories.note({ folder, path: directory }, identity);
    // A scan of everything ends with reading the mounts. Between two of them files on a new mount may be sent.
    if (isNew && view.isScanned && view.otherRoot === undefined)
      this.inBackground(this.#roots.noticeMounts(folder));
    for (const { stat } of entries) view.noteDevice(stat.dev, identity.dev);
  }

  /** A file in the directory is as it was recorded: the root is the one that it was. */
  rootProved({ folder, directory, identity }: DirectoryScan, name: string): void {
    const { folders, ledger } = this.#parts;
    const view = folders.viewOf(folder);
    view.proved();
    // One file speaks for all: the number of a device changes for the whole directory.
    const ref = { folder, path: joinPath(directory, name) };
    const recorded = (ledger.get(ref) ?? ledger.failure(ref))?.stat.dev;
    if (recorded !== undefined) view.noteDevice(recorded, identity.dev);
  }

  /** A change that was made at `changedAt` (wall clock, ms) was found. Counts what the watcher should have reported. */
  changeFound(folder: string, cause: ScanCause, changedAt: number): void {
    const { clock, folders } = this.#parts;
    if (cause === 'rescan' && clock.now() - changedAt >= watcherReportsWithinMs)
      folders.viewOf(folder).countMissed();
  }

  /** Every directory was listed: the ledger learns the root, mounts and directories, where they are others. */
  folderScanned(folder: string, root: RootIdentity, unreadable: readonly UnreadableDirectory[]): void {
    const { clock, directories, folders, ledger, log, writer, tasks } = this.#parts;
    const view = folders.viewOf(folder);
    const isTrusted = isRootTrusted(ledger, folder, { root, isProven: view.isProven });
    if (!isTrusted && view.otherRoot === undefined) {
      const about = { folder, path: root.path };
      log.warn(about, 'folder is not the same directory as before; deletions held');
    }
    const isReadWhole = !folders.hasUnreadable(folder);
    const other = view.otherRoot;
    const seenAt = view.scanEnds(isTrusted, isReadWhole, clock.monotonic());
    if (!isTrusted) return;
    this.inBackground(this.#roots.rememberRoot(folder, { root, seenAt, unreadable, other }));
    this.inBackground(this.#roots.rememberMounts(folder, true));
    const changed = directories.toRemember(folder, tasks);
    if (changed.length > 0) this.inBackground(writer.commit(changed));
  }

  /** Nobody waits for this: the next scan does again what a stop ended. What else fails is unexpected. */
  inBackground(work: Promise<void>): void {
    void work.catch((error: unknown) => {
      if (errorCode(error) !== 'stopped')
        this.#parts.log.error({ error: errorMessage(error) }, 'what a scan found could not be noted');
    });
  }
}
