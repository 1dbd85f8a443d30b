import { isDeepStrictEqual } from 'node:util';

import { createGathered } from '../../lib/queue/gathered.ts';
import { createTurns } from '../../lib/queue/turns.ts';
import { isAtOrBelow, joinPath, sameDirectory } from '../../model/document.ts';
import type { DirectoryScan, RootMarks, ScanCause } from '../../model/document.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import type { UnreadableDirectory } from '../../model/ports/folder-port.ts';
import type { Change, ChangeOf, RootIdentity } from '../../model/ports/ledger-port.ts';
import type { EngineParts } from '../parts.ts';
import type { Task } from '../tasks/task.ts';
import { coveredMountPoints, identitiesOf, mountsToRemember } from './mounts.ts';
import type { CoveredMountPoint } from './mounts.ts';
import { acceptedRoot, coveredRoot, isOtherRoot, isRootTrusted, unreadableSince } from './root-trust.ts';

/** How often the ledger notes that everything was seen: a restart goes by that. */
const seenAtEveryMs = 10 * 60_000;

/** A change older than this that only a rescan found was missed by the watcher. */
const watcherReportsWithinMs = 2_000;

/** A scan that begins in the millisecond in which a mount was found could not be told from one before the mount. */
const afterMountMs = 2;

/** States in which what is missing stays until something happens to it: it is neither looked for nor about to be deleted. */
const decidedStates: ReadonlySet<Task['state']['kind']> = new Set(['held', 'dormant', 'failed']);

/** A root under which everything was listed by a scan that began at this moment. */
interface ScannedRoot {
  readonly root: RootIdentity;
  readonly began: number;
  readonly unreadable: readonly UnreadableDirectory[];
  /** Another one that stood there at the scan before. */
  readonly other: RootMarks | undefined;
}

/** That everything was listed before the mounts are read, for the first time or not; null: it was not. */
type Listed = { readonly isFirst: boolean } | null;

interface Turns {
  readonly inTurn: ReturnType<typeof createTurns>;
  readonly mounts: (listed: Listed) => Promise<void>;
}

/** What scans say of folders besides their documents: under which root, with which mounts, the ledger knows these. */
export class FolderRoots {
  readonly #parts: EngineParts;
  /** By folder: what is written down of its root and its mounts, one after the other. */
  readonly #turns = new Map<string, Turns>();

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** A directory was listed: where it stands, on which devices its files are, what is mounted there. */
  directoryListed({ folder, directory, identity, entries, deep }: DirectoryScan): void {
    const { clock, directories, folders, ledger } = this.#parts;
    const view = folders.viewOf(folder);
    // A scan of everything begins with the root.
    if (directory === '') view.scanBegins(identity, folders.moment());
    // What has come into the ledger since, for a directory that was gone by then, is compared too.
    if (directory === '' || deep === 'from here')
      for (const known of ledger.directories(folder)) if (isAtOrBelow(known, directory)) view.know(known);
    const isNew = view.noteDirectory(directory, identity, clock.monotonic());
    if (isNew && directory !== '') directories.note({ folder, path: directory }, identity);
    // A scan of everything ends with reading the mounts. Between two of them files on a new mount may be sent.
    if (isNew && view.isScanned && view.otherRoot === undefined)
      this.inBackground(this.rememberMounts(folder));
    for (const { stat } of entries) view.noteDevice(stat.dev, identity.dev);
  }

  /** A file in the directory is as it was recorded: the root is the one that it was. */
  rootProved({ folder, directory, identity }: DirectoryScan, name: string): void {
    const { folders, ledger } = this.#parts;
    const view = folders.viewOf(folder);
    view.isProven = true;
    // One file speaks for all: the number of a device changes for the whole directory.
    const ref = { folder, path: joinPath(directory, name) };
    const recorded = (ledger.get(ref) ?? ledger.failure(ref))?.stat.dev;
    if (recorded !== undefined) view.noteDevice(recorded, identity.dev);
  }

  /** A change that was made at `changedAt` (wall clock, ms) was found. Counts what the watcher should have reported. */
  changeFound(folder: string, cause: ScanCause, changedAt: number): void {
    const { clock, folders } = this.#parts;
    if (cause === 'rescan' && clock.now() - changedAt >= watcherReportsWithinMs)
      folders.viewOf(folder).missedByWatcher += 1;
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
    const isFirst = !view.isScanned;
    const began = view.scanEnds(isTrusted, isReadWhole, clock.monotonic());
    // A deletion that waits for a person, say, does not keep a scan from having seen the others.
    const isSought = Array.from(tasks.missing(folder)).some(({ state }) => !decidedStates.has(state.kind));
    if (!isSought) view.sawAll(clock.monotonic());
    if (!isTrusted) return;
    this.inBackground(this.#rememberRoot(folder, { root, began, unreadable, other }));
    this.inBackground(this.rememberMounts(folder, { isFirst }));
    const changed = directories.toRemember(folder, tasks);
    if (changed.length > 0) this.inBackground(writer.commit(changed));
  }

  /** Nobody waits for this: the next scan does again what a stop ended. What else fails is unexpected. */
  inBackground(work: Promise<unknown>): void {
    void work.catch((error: unknown) => {
      if (errorCode(error) !== 'stopped')
        this.#parts.log.error({ error: errorMessage(error) }, 'what a scan found could not be noted');
    });
  }

  /** Whether the root that stands there is not the one whose documents the ledger knows. */
  async isChanged(folder: string): Promise<boolean> {
    const view = this.#parts.folders.viewOf(folder);
    const root = await this.#parts.folders.rootNow(folder);
    return isOtherRoot(this.#parts.ledger.root(folder), view, root);
  }

  /** The present root and its mounts are right, says a person who was asked about all that is missing from it. */
  async accept(folder: string): Promise<void> {
    const { folders, ledger, writer } = this.#parts;
    const root = await folders.rootNow(folder);
    if (root === null) return;
    const mounts = await folders.mountsNow(folder);
    if (mounts === null) return;
    const view = folders.viewOf(folder);
    const known = ledger.root(folder);
    const bare = ledger.bareMountPoints(folder).filter(({ path }) => mounts.includes(path));
    const changes: readonly Change[] = [
      { kind: 'root', folder, identity: acceptedRoot(known, root, known?.seenAt) },
      { kind: 'mounts', folder, mounts, identities: identitiesOf(mounts, view), bare },
    ];
    await writer.commitDecision(changes, true);
    view.otherRoot = undefined;
  }

  /** A trusted root, under which everything was listed, is known from then on. */
  #rememberRoot(folder: string, scanned: ScannedRoot): Promise<void> {
    return this.#turnsOf(folder).inTurn(async () => {
      const before = this.#parts.ledger.root(folder);
      const change = this.#toRemember(folder, scanned);
      if (change === null) return;
      await this.#parts.writer.commit([change]);
      const { covered, unreadable = [] } = change.identity;
      const isKnown = ({ path }: { readonly path: string }) =>
        before?.unreadable?.some((one) => one.path === path) === true;
      // What stands now in any folder is not hidden by what was mounted before.
      if (covered !== before?.covered || !unreadable.every(isKnown)) this.#parts.folders.rescan(null);
    });
  }

  /** Null: the ledger knows it. */
  #toRemember(
    folder: string,
    { root, began, unreadable: found, other }: ScannedRoot,
  ): ChangeOf<'root'> | null {
    const known = this.#parts.ledger.root(folder);
    const seenAt = this.#parts.folders.viewOf(folder).lastScanBefore(Infinity);
    const knownAt = known?.seenAt ?? 0;
    const keeps = this.#keeps(folder);
    const isRecorded =
      known !== undefined &&
      sameDirectory(known, root) &&
      known.birthtimeMs === root.birthtimeMs &&
      known.path === root.path &&
      known.keeps === keeps;
    const isOld = seenAt - knownAt >= seenAtEveryMs;
    const unreadable = unreadableSince(known, found, this.#parts.folders.moment());
    const isAsBefore = isDeepStrictEqual(unreadable, known?.unreadable);
    // The scan that the ledger knows began before one of them looked so: this one tells more of what goes from now on.
    const isOutdated = unreadable?.some(({ since }) => since > knownAt && since <= seenAt) === true;
    const came = coveredRoot(other ?? known, root, began);
    if (isRecorded && !isOld && isAsBefore && !isOutdated && came === undefined) return null;
    const covered = came ?? known?.covered;
    const identity = { ...acceptedRoot(known, root, seenAt || undefined), covered, keeps, unreadable };
    return { kind: 'root', folder, identity };
  }

  /**
   * What lies on a mount is not removed with it, after a restart either. One reading is enough for all that ask before it
   * begins.
   */
  rememberMounts(folder: string, listed: Listed = null): Promise<void> {
    return this.#turnsOf(folder).mounts(listed);
  }

  /** Settles when the ledger has the mounts that were asked about by now. */
  async mountsNoted(folder: string): Promise<void> {
    await this.#turns.get(folder)?.inTurn(async () => {});
  }

  #turnsOf(folder: string): Turns {
    const inTurn = createTurns();
    const mounts = createGathered((asked: readonly Listed[]) => this.#readMounts(folder, asked), inTurn);
    const turns = this.#turns.get(folder) ?? { inTurn, mounts };
    this.#turns.set(folder, turns);
    return turns;
  }

  async #readMounts(folder: string, asked: readonly Listed[]): Promise<void> {
    const view = this.#parts.folders.viewOf(folder);
    const mounts = await this.#parts.folders.mountsNow(folder);
    if (
      mounts === null ||
      !view.isScanned ||
      view.otherRoot !== undefined ||
      this.#parts.folders.isUnavailable(folder)
    )
      return;
    const change = mountsToRemember(folder, {
      tasks: this.#parts.tasks,
      ledger: this.#parts.ledger,
      view,
      mounts,
      isWhole: asked.some((listed) => listed !== null),
      isFirst: asked.some((listed) => listed?.isFirst === true),
      now: this.#parts.folders.moment(),
    });
    if (change === null) return;
    const before = this.#coveredIn(folder);
    await this.#parts.writer.commit([change]);
    const isCovered = this.#coveredIn(folder).some(({ path, until }) =>
      before.every((one) => one.path !== path || one.until !== until),
    );
    if (isCovered) this.#parts.clock.after(afterMountMs, () => this.#parts.folders.rescan(null));
  }

  /** Mount points on or below which files may lie that nobody sees, of all folders. */
  covered(): readonly CoveredMountPoint[] {
    return this.#parts.folders.names.flatMap((folder) => this.#coveredIn(folder));
  }

  #coveredIn(folder: string): readonly CoveredMountPoint[] {
    return coveredMountPoints(folder, this.#parts.ledger, this.#parts.folders.viewOf(folder));
  }

  /** Whether its documents may be without files because they are kept, or were until now. */
  #keeps(folder: string): true | undefined {
    if (this.#parts.folders.get(folder)?.settings.onRemove === 'keep') return true;
    if (this.#parts.ledger.root(folder)?.keeps === undefined) return undefined;
    // What is missing below a directory that cannot be read shows later.
    return (
      this.#parts.folders.hasUnreadable(folder) || this.#parts.tasks.missing(folder).size > 0 || undefined
    );
  }
}
