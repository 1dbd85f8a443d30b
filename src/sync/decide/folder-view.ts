import type { Skip } from '../../model/document.ts';
import { DirectoryTree } from './directory-tree.ts';

/** What scans have said of one folder, besides its documents. */
export class FolderView {
  readonly tree = new DirectoryTree();
  /** Changes that only a rescan found. */
  missedByWatcher = 0;
  /** The whole folder was listed once. */
  isScanned = false;
  /** A recorded file was found unchanged in the scan that runs. */
  isProven = false;
  /** The root is another than the one the ledger knows, and nothing in it proves that it is the same. */
  isRootChanged = false;
  /** By directory. */
  readonly #skips = new Map<string, readonly Skip[]>();
  #skipCount = 0;
  /** Directories' devices by those of files in them, where they differ. */
  readonly #devices = new Map<number, Set<number>>();

  get skipCount(): number {
    return this.#skipCount;
  }

  *skips(): Iterable<Skip> {
    for (const list of this.#skips.values()) yield* list;
  }

  /** These and no other files of a directory are skipped. */
  setSkips(directory: string, skips: readonly Skip[]): void {
    this.#skipCount += skips.length - (this.#skips.get(directory)?.length ?? 0);
    if (skips.length === 0) this.#skips.delete(directory);
    else this.#skips.set(directory, skips);
  }

  /** Takes note that a file of device `file` lies in a directory of device `directory`. */
  noteDevice(file: number, directory: number): void {
    if (file === directory) return;
    const known = this.#devices.get(file) ?? new Set();
    this.#devices.set(file, known.add(directory));
  }

  /**
   * Whether files with device number `was` lie in directories with `now`: it is the same, or files were seen there that
   * bear it, or that were recorded under it, as numbers change with a mount or a reboot.
   */
  isSameDevice(was: number, now: number): boolean {
    return was === now || this.#devices.get(was)?.has(now) === true;
  }
}
