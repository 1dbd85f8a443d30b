import type { Clock } from '../../lib/time/clock.ts';
import { errorMessage, isOfPassingFault, isOfUnreadPlace } from '../../model/errors.ts';
import type { FolderHealth, FolderPort } from '../../model/ports/folder-port.ts';
import type { DirectoryRef, LedgerPort, RootIdentity } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { FolderSettings } from '../../model/settings.ts';
import { FolderView } from './folder-view.ts';

/** How long a folder waits for the first scan of the others before it uploads: a network drive may hang for ever. */
const firstScanPatienceMs = 10 * 60_000;

/** A folder with its settings, as far as they concern the engine. */
export interface WatchedFolder {
  readonly settings: Pick<FolderSettings, 'name' | 'onRemove'>;
  readonly port: FolderPort;
}

interface Options {
  readonly clock: Clock;
  readonly log: LogPort;
  readonly ledger: Pick<LedgerPort, 'root' | 'bareMountPoints'>;
  readonly removeGraceMs: number;
  readonly settleMs: number;
}

/** The folders of the configuration by name: how each stands now, and what its scans have said. */
export class WatchedFolders {
  readonly #folders: ReadonlyMap<string, WatchedFolder>;
  readonly #views: ReadonlyMap<string, FolderView>;

  readonly #options: Options;
  readonly #began: number;
  /** Of moments, before the monotonic clock. */
  readonly #momentsAheadMs: number;

  constructor(folders: readonly WatchedFolder[], options: Options) {
    const { clock, ledger } = options;
    this.#options = options;
    this.#began = clock.monotonic();
    this.#folders = new Map(folders.map((folder) => [folder.settings.name, folder]));
    this.#views = new Map(
      folders.map(({ settings: { name } }) => [name, new FolderView(ledger.root(name)?.seenAt)]),
    );
    const latest = Math.max(clock.now(), ...this.names.flatMap((name) => momentsOf(name, ledger)));
    this.#momentsAheadMs = latest - this.#began;
  }

  /**
   * Now, to tell what was seen in folders before from what was seen after, over restarts too: the time of the wall clock,
   * but later than all that is written down, whatever that clock is set to.
   */
  moment(): number {
    return this.#momentsAheadMs + this.#options.clock.monotonic();
  }

  get names(): readonly string[] {
    return [...this.#folders.keys()];
  }

  /** Undefined: it is not in the configuration. */
  get(name: string): WatchedFolder | undefined {
    return this.#folders.get(name);
  }

  /** Begins to scan one folder, or all (null); gives their names. */
  rescan(name: string | null): readonly string[] {
    const chosen = name === null ? this.names : this.names.filter((one) => one === name);
    for (const folder of chosen) {
      this.get(folder)
        ?.port.rescan('rescan')
        .catch((error: unknown) => {
          this.#options.log.warn({ folder, error: errorMessage(error) }, 'rescan failed');
        });
    }
    return chosen;
  }

  /** Undefined: it is not in the configuration. */
  view(name: string): FolderView | undefined {
    return this.#views.get(name);
  }

  /** This process has listed a directory, which has not gone since, and is not ignored, nor its folder left out. */
  isListed({ folder, path }: DirectoryRef): boolean {
    return this.#views.get(folder)?.directoryAt(path) !== undefined;
  }

  /** Of a folder that is in the configuration. */
  viewOf(name: string): FolderView {
    const view = this.#views.get(name);
    if (view === undefined) throw new RangeError(`no folder is called ${name}`);
    return view;
  }

  isUnavailable(name: string): boolean {
    return this.get(name)?.port.health().state === 'unavailable';
  }

  /** It can be read, and was not listed as a whole yet. */
  isWaitedFor(name: string): boolean {
    return !this.viewOf(name).isScanned && !this.isUnavailable(name);
  }

  /** How long what its first scan listed takes to settle, ms; at most 0: it has, or nothing can be said of it. */
  settlesInMs(name: string): number {
    if (this.isUnavailable(name)) return 0;
    return this.viewOf(name).scannedAt + this.#options.settleMs - this.#options.clock.monotonic();
  }

  /** Every folder that can be read was scanned once. */
  areAllScanned(): boolean {
    return this.names.every((name) => !this.isWaitedFor(name));
  }

  /** What changed before `since`, monotonic ms, was listed in every folder that can be read. */
  isCoveredUntil(since: number): boolean {
    return this.#areAll(({ busy, coveredUntil }) => !busy || coveredUntil >= since);
  }

  /** What changed before `since`, monotonic ms, was listed in every folder that can be read, polled ones too. */
  isListedSince(since: number): boolean {
    return this.#areAll(({ coveredUntil }) => coveredUntil >= since);
  }

  /** Whether all that changed before a directory came to its path was listed; a drive that hangs is not waited for. */
  isArrivalCovered({ folder, path }: DirectoryRef): boolean {
    const since = this.viewOf(folder).directorySince(path);
    return !this.#isPatient(since) || (this.areAllScanned() && this.isListedSince(since));
  }

  /**
   * A new file may be one that was moved here from another folder: its first scan is waited for, but not for ever. Its
   * sidecar or ignore rules may have been gone for a moment when an earlier process ended: they may be back soon.
   */
  mayUpload(name: string): boolean {
    const ranMs = this.#options.clock.monotonic() - this.#began;
    if (this.viewOf(name).isResumed && ranMs < this.#options.removeGraceMs) return false;
    return this.#isPatient() ? this.areAllScanned() : !this.isWaitedFor(name);
  }

  hasUnreadable(name: string): boolean {
    const reasons = this.get(name)?.port.health().reasons ?? [];
    return reasons.some(isOfUnreadPlace);
  }

  /** Whether something in a folder could not be read and is tried again by itself. */
  areSomeReadAgain(): boolean {
    return [...this.#folders.values()].some(({ port }) => port.health().reasons.some(isOfPassingFault));
  }

  /** Null: the root is not there, or not readable. */
  async rootNow(name: string): Promise<RootIdentity | null> {
    return (await this.get(name)?.port.rootNow()) ?? null;
  }

  /** Directories on which something is mounted; null: they cannot be read at this moment. */
  async mountsNow(name: string): Promise<readonly string[] | null> {
    return (await this.get(name)?.port.mounts()) ?? null;
  }

  /** What holds of all folders that can be read. */
  #areAll(isSo: (health: FolderHealth) => boolean): boolean {
    const health = Array.from(this.#folders.values(), ({ port }) => port.health());
    return health.every((one) => one.state === 'unavailable' || isSo(one));
  }

  /** It is not too long ago that something, or the whole, began to wait for the scans of other folders. */
  #isPatient(since = -Infinity): boolean {
    return this.#options.clock.monotonic() - Math.max(since, this.#began) < firstScanPatienceMs;
  }
}

/** What the ledger says was seen in a folder, and when. */
function momentsOf(
  folder: string,
  { root, bareMountPoints }: Pick<LedgerPort, 'root' | 'bareMountPoints'>,
): readonly number[] {
  const { seenAt, covered, unreadable = [] } = root(folder) ?? {};
  const bare = bareMountPoints(folder).flatMap(({ since, until }) => [since, until]);
  const all = [seenAt, covered?.until, ...unreadable.map(({ since }) => since), ...bare];
  return all.filter((moment) => typeof moment === 'number');
}
