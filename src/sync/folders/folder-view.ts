import { SetsByKey } from '../../lib/sets-by-key.ts';
import {
  directoryOf,
  isUnfitSidecar,
  joinPath,
  nameOf,
  orphanAttachments,
  sameDirectory,
  sameFile,
} from '../../model/document.ts';
import type { FileIdentity, RootMarks, Skip } from '../../model/document.ts';

/** What is missing for longer was last seen by an older scan: its place is searched with more care. */
const keptScans = 20;

/** What scans have said of one folder, besides its documents. */
export class FolderView {
  /** Changes that only a rescan found, and not the watcher. */
  missedByWatcher = 0;
  /** When it was first listed as a whole, monotonic ms; Infinity: it was not yet. */
  scannedAt = Infinity;
  /** A recorded file was found unchanged in the scan that runs. */
  isProven = false;
  /** A root that is another than the one the ledger knows, and that nothing in it proves to be the same. */
  otherRoot: RootMarks | undefined;
  /** When the first scan ended that could read every directory, monotonic ms. */
  readWholeAt = Infinity;
  /** The root as scans see it now; null: none has. */
  root: RootMarks | null = null;
  /** Whole scans that saw all documents: when each began, and when it ended by the monotonic clock. The newest last. */
  #scans: readonly { readonly began: number; readonly ended: number }[] = [];
  #began = 0;
  readonly #seenBefore: number;
  /** An earlier process scanned the folder. */
  readonly isResumed: boolean;
  /** Files, by directory. */
  readonly #skips = new Map<string, readonly Skip[]>();
  #skipCount = 0;
  /** What is told by itself: few of very many. */
  readonly #told = new Map<string, readonly Skip[]>();
  readonly #directories = new Map<string, KnownDirectory>();
  /** Directories' devices by those of files in them, where they differ. */
  readonly #devices = new SetsByKey<number, number>();

  /** `seenBefore`: the moment at which a scan of an earlier process began; 0: it is not known. */
  constructor(seenBefore = 0) {
    this.#seenBefore = seenBefore;
    this.isResumed = seenBefore !== 0;
  }

  /** The whole folder was listed once. */
  get isScanned(): boolean {
    return this.scannedAt !== Infinity;
  }

  get skipCount(): number {
    return this.#skipCount;
  }

  /** Sidecars that fit no file. */
  get unfitSidecars(): readonly Skip[] {
    return [...this.#told.values()].flat().filter(isUnfitSidecar);
  }

  /** Directories of attachments without a document. */
  get orphanAttachments(): readonly Skip[] {
    return [...this.#told.values()].flat().filter(isOrphan);
  }

  *skips(): Iterable<Skip> {
    for (const list of this.#skips.values()) yield* list;
  }

  /** These and no other files of a directory are skipped. */
  setSkips(directory: string, skips: readonly Skip[]): void {
    const files = skips.filter((one) => !isOrphan(one));
    this.#skipCount += files.length - (this.#skips.get(directory)?.length ?? 0);
    put(this.#skips, directory, files);
    const told = skips.filter((one) => isOrphan(one) || isUnfitSidecar(one));
    put(this.#told, directory, told);
  }

  /** A scan of everything begins, with the root, at a `WatchedFolders.moment`. */
  scanBegins(root: RootMarks, moment: number): void {
    this.#began = moment;
    this.root = root;
    // What single directories have proved since the last scan of everything may be true of another root.
    this.isProven = false;
  }

  /**
   * The whole folder was listed, under a root that is trusted or not. `isReadWhole`: no directory was unreadable. `now`
   * is monotonic, ms; gives the moment at which that scan began.
   */
  scanEnds(isTrusted: boolean, isReadWhole: boolean, now: number): number {
    this.scannedAt = Math.min(this.scannedAt, now);
    this.isProven = false;
    this.otherRoot = isTrusted ? undefined : (this.root ?? undefined);
    if (isReadWhole) this.readWholeAt = Math.min(this.readWholeAt, now);
    return this.#began;
  }

  /** The scan that ended just now missed no document. */
  sawAll(now: number): void {
    this.#scans = [...this.#scans, { began: this.#began, ended: now }].slice(-keptScans);
  }

  /** When the last scan began that saw all documents and ended before `monotonic`, of an earlier process too. */
  lastScanBefore(monotonic: number): number {
    return this.#scans.findLast(({ ended }) => ended < monotonic)?.began ?? this.#seenBefore;
  }

  /** A directory was listed. `now` is monotonic, ms. True: it was not known, or another one was. */
  noteDirectory(path: string, { ino, birthtimeMs, dev }: FileIdentity, now: number): boolean {
    const known = this.know(path);
    const isSame = ino === 0 ? sameDirectory : sameFile;
    if (known.listed !== null && isSame(known.listed, { ino, birthtimeMs, dev })) return false;
    known.since = known.listed === null && !this.isScanned ? -Infinity : now;
    known.listed = { ino, birthtimeMs, dev };
    return true;
  }

  /** The directory that was listed last at a path. */
  directoryAt(path: string): FileIdentity | undefined {
    return this.#directories.get(path)?.listed ?? undefined;
  }

  /** Since when it has been there, monotonic ms; -Infinity: the first scan found it there, or none did. */
  directorySince(path: string): number {
    return this.#directories.get(path)?.since ?? -Infinity;
  }

  /** A directory is known from now on, and those above it are: a listing shows which of them are gone. */
  know(path: string): KnownDirectory {
    const known = this.#directories.get(path);
    if (known !== undefined) return known;
    const made: KnownDirectory = { children: new Set(), listed: null, since: -Infinity };
    this.#directories.set(path, made);
    if (path !== '') this.know(directoryOf(path)).children.add(nameOf(path));
    return made;
  }

  /**
   * The known directories inside one that does not list their names any more, with all below each, and whether each was
   * listed. They are forgotten: what comes in their place are others.
   */
  vanished(directory: string, names: readonly string[]): ReadonlyMap<string, boolean> {
    const gone = new Map<string, boolean>();
    const forget = (path: string) => {
      const known = this.know(path);
      gone.set(path, known.listed !== null);
      for (const name of known.children) forget(joinPath(path, name));
      this.#directories.delete(path);
      this.setSkips(path, []);
    };
    const { children } = this.know(directory);
    const present = new Set(names);
    for (const name of children)
      if (!present.has(name) && children.delete(name)) forget(joinPath(directory, name));
    for (const name of names) this.know(joinPath(directory, name));
    return gone;
  }

  /** Takes note that a file of device `file` lies in a directory of device `directory`. */
  noteDevice(file: number, directory: number): void {
    if (file !== directory) this.#devices.add(file, directory);
  }

  /**
   * Whether files of device `was` were never seen where `now` is: they may be away with their file system. It is no other
   * where files were seen that bear `was`, or that were recorded under it, as numbers change with a mount or a reboot.
   */
  isOtherDevice(was: number, now: number): boolean {
    return was !== 0 && was !== now && !this.#devices.of(was).has(now);
  }
}

function put(lists: Map<string, readonly Skip[]>, directory: string, skips: readonly Skip[]): void {
  if (skips.length === 0) lists.delete(directory);
  else lists.set(directory, skips);
}

/** A directory that the ledger or a scan knows. */
interface KnownDirectory {
  /** Names of the known ones in it. */
  readonly children: Set<string>;
  /** What was listed there last; null: nothing was. */
  listed: FileIdentity | null;
  /** Since when that has been there, monotonic ms; -Infinity: the first scan found it there. */
  since: number;
}

function isOrphan({ code }: Skip): boolean {
  return code === orphanAttachments.code;
}
