import { createTurns } from '../../lib/queue/turns.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { sameDirectory } from '../../model/document.ts';
import { errorMessage } from '../../model/errors.ts';
import type { ChangeOf, LedgerPort, RootIdentity } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { LedgerCommits } from '../send/ledger-commits.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { coveredMountPoints, identitiesOf, mountsToRemember } from './mounts.ts';
import type { CoveredMountPoint } from './mounts.ts';
import { acceptedPlaces, acceptedRoot, coveredRoot, isOtherRoot } from './root-trust.ts';
import type { WatchedFolders } from './watched-folders.ts';

/** How often the ledger notes that everything was seen: a restart goes by that. */
const seenAtEveryMs = 10 * 60_000;

/** A scan that begins in the millisecond in which a mount was found could not be told from one before the mount. */
const afterMountMs = 2;

interface Options {
  readonly clock: Clock;
  readonly folders: WatchedFolders;
  readonly tasks: Pick<TaskStore, 'missing'>;
  readonly ledger: LedgerPort;
  readonly writer: Pick<LedgerCommits, 'commit'>;
  readonly log: LogPort;
}

/** Under which root, with which mounts, the ledger knows the documents of each folder. */
export class FolderRoots {
  readonly #options: Options;
  readonly #folders: WatchedFolders;
  readonly #ledger: LedgerPort;
  /** By folder: its mounts are read one after the other. */
  readonly #turns = new Map<string, ReturnType<typeof createTurns>>();
  /** Folders with a reading for new directories that has not begun: one is enough for all that come before. */
  readonly #noticed = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
    this.#folders = options.folders;
    this.#ledger = options.ledger;
  }

  /** Whether the root that stands there is not the one whose documents the ledger knows. */
  async isChanged(folder: string): Promise<boolean> {
    const view = this.#folders.viewOf(folder);
    return isOtherRoot(folder, { ledger: this.#ledger, view, root: await this.#folders.rootNow(folder) });
  }

  /** The present root and its mounts are right, says a person who was asked about all that is missing from it. */
  async accept(folder: string): Promise<void> {
    const root = await this.#folders.rootNow(folder);
    if (root === null) return;
    const mounts = await this.#folders.mountsNow(folder);
    if (mounts === null) return;
    const view = this.#folders.viewOf(folder);
    const identities = identitiesOf(mounts, view);
    await this.#options.writer.commit(acceptedPlaces(folder, { root, mounts, identities }, this.#ledger));
    view.accepted();
  }

  /** A trusted root, under which everything was listed by a scan that began at `seenAt`, is known from then on. */
  rememberRoot(folder: string, root: RootIdentity, seenAt: number): Promise<void> {
    return this.#inTurn(folder, async () => {
      const before = this.#ledger.root(folder)?.covered;
      const change = this.#toRemember(folder, root, seenAt);
      if (change === null) return;
      await this.#options.writer.commit([change]);
      if (change.identity.covered !== before) this.#rescan();
    });
  }

  /** Null: the ledger knows it. */
  #toRemember(folder: string, root: RootIdentity, seenAt: number): ChangeOf<'root'> | null {
    const known = this.#ledger.root(folder);
    const keeps = this.#keeps(folder);
    const isRecorded =
      known !== undefined &&
      sameDirectory(known, root) &&
      known.birthtimeMs === root.birthtimeMs &&
      known.path === root.path &&
      known.keeps === keeps;
    const isOld = known?.seenAt === undefined || Math.abs(seenAt - known.seenAt) >= seenAtEveryMs;
    if (isRecorded && !isOld) return null;
    const covered = coveredRoot(known, root, seenAt);
    return { kind: 'root', folder, identity: { ...acceptedRoot(known, root, seenAt), covered, keeps } };
  }

  /**
   * What lies on a mount is not removed with it, at the next start either. After a mount the folder is scanned once
   * more: what stands then is not below it. `isWhole`: everything was listed.
   */
  rememberMounts(folder: string, isWhole: boolean): Promise<void> {
    return this.#inTurn(folder, () => this.#readMounts(folder, isWhole));
  }

  /** The same for directories that came. */
  async noticeMounts(folder: string): Promise<void> {
    if (this.#noticed.has(folder)) return;
    this.#noticed.add(folder);
    await this.#inTurn(folder, () => {
      this.#noticed.delete(folder);
      return this.#readMounts(folder, false);
    });
  }

  /** Settles when the ledger has the mounts that were asked about by now. */
  async mountsNoted(folder: string): Promise<void> {
    await this.#turns.get(folder)?.(async () => {});
  }

  /** One after the other: each writes down all that is known of a folder's mounts. */
  #inTurn(folder: string, read: () => Promise<void>): Promise<void> {
    const inTurn = this.#turns.get(folder) ?? createTurns();
    this.#turns.set(folder, inTurn);
    return inTurn(read);
  }

  async #readMounts(folder: string, isWhole: boolean): Promise<void> {
    const view = this.#folders.viewOf(folder);
    const mounts = await this.#folders.mountsNow(folder);
    if (mounts === null || !view.isScanned || view.isRootChanged || this.#folders.isUnavailable(folder))
      return;
    const change = mountsToRemember(folder, {
      tasks: this.#options.tasks,
      ledger: this.#ledger,
      view,
      mounts,
      isWhole,
      now: this.#options.clock.now(),
    });
    if (change === null) return;
    const before = this.#coveredIn(folder);
    await this.#options.writer.commit([change]);
    const isCovered = this.#coveredIn(folder).some(({ path }) => before.every((one) => one.path !== path));
    if (isCovered) this.#options.clock.after(afterMountMs, () => this.#rescan());
  }

  /** What stands now in any folder is not hidden by what was mounted before. */
  #rescan(): void {
    for (const folder of this.#folders.names)
      this.#folders
        .get(folder)
        ?.port.rescan('rescan')
        .catch((error: unknown) => {
          this.#options.log.warn({ folder, error: errorMessage(error) }, 'rescan failed');
        });
  }

  /** Mount points on or below which files may lie that nobody sees, of all folders. */
  covered(): readonly CoveredMountPoint[] {
    return this.#folders.names.flatMap((folder) => this.#coveredIn(folder));
  }

  #coveredIn(folder: string): readonly CoveredMountPoint[] {
    return coveredMountPoints(folder, this.#ledger, this.#folders.viewOf(folder));
  }

  /** Whether its documents may be without files because they are kept, or were until now. */
  #keeps(folder: string): true | undefined {
    if (this.#folders.get(folder)?.settings.onRemove === 'keep') return true;
    if (this.#ledger.root(folder)?.keeps === undefined) return undefined;
    // What is missing below a directory that cannot be read shows later.
    return this.#folders.hasUnreadable(folder) || this.#options.tasks.missing(folder).size > 0 || undefined;
  }
}
