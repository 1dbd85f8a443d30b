import type { Clock } from '../../lib/time/clock.ts';
import { joinPath } from '../../model/document.ts';
import type { DirectoryScan } from '../../model/document.ts';
import type { Change, DirectoryRef, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { SafetySettings } from '../../model/settings.ts';
import type { LedgerCommits } from '../send/ledger-commits.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { Task } from '../tasks/task.ts';
import { heldTogether, judgeMissing } from './deletions.ts';
import type { FolderRoots } from '../folders/folder-roots.ts';
import type { WatchedFolders } from '../folders/watched-folders.ts';

/** What is to become of deletions that are about to go out. */
export type DeletionVerdict =
  | { readonly kind: 'allow' }
  /** It cannot be said now, or all that would be held is being inspected: judged again a little later. */
  | { readonly kind: 'later' }
  /** These are held, with the deletions that were judged among them. `documents`: how many wait in all. */
  | {
      readonly kind: 'hold';
      readonly tasks: readonly Task[];
      readonly reason: string;
      readonly documents: number;
    };

interface Options {
  readonly clock: Clock;
  readonly folders: WatchedFolders;
  readonly roots: FolderRoots;
  readonly tasks: Pick<TaskStore, 'counts' | 'missing' | 'presentWithInode'>;
  readonly ledger: LedgerPort;
  readonly writer: Pick<LedgerCommits, 'commit' | 'commitOnce'>;
  readonly limits: SafetySettings;
  readonly removeGraceMs: number;
}

/** Deletions that a person is asked about: which are held, which were approved, and when both end. */
export class DeletionHolds {
  readonly #options: Options;
  readonly #ledger: LedgerPort;
  readonly #writer: Pick<LedgerCommits, 'commit' | 'commitOnce'>;
  /** Holds that are being written to the ledger: why, by folder. */
  readonly #beingWritten = new Map<string, string>();

  constructor(options: Options) {
    this.#options = options;
    this.#ledger = options.ledger;
    this.#writer = options.writer;
  }

  /** Judges deletions of one folder that are about to go out. Those that may not are held, with all like them. */
  async judge(folder: string, judged: readonly Task[]): Promise<DeletionVerdict> {
    if (judged.every(({ ref }) => this.#ledger.isApproved(ref))) return { kind: 'allow' };
    const { clock, folders, tasks, limits, removeGraceMs } = this.#options;
    const mounts = await folders.mountsNow(folder);
    if (mounts === null) return { kind: 'later' };
    const verdict = judgeMissing(folder, {
      tasks,
      ledger: this.#ledger,
      view: folders.viewOf(folder),
      root: await folders.rootNow(folder),
      mounts,
      holdBeingWritten: this.#beingWritten.get(folder),
      isListed: (directory) => folders.isListed(directory),
      limits,
      clock,
    });
    if (verdict.kind === 'allow') return verdict;
    const now = clock.monotonic();
    const { due, documents } = heldTogether(judged, folder, {
      tasks,
      ledger: this.#ledger,
      removeGraceMs,
      now,
    });
    return due.length === 0 ? { kind: 'later' } : { ...verdict, tasks: due, documents };
  }

  /** Deletions of this folder are held already, and not only until a directory can be read: whoever is asked knows. */
  isHeld(folder: string): boolean {
    const hold = this.#ledger.hold(folder);
    return (hold !== undefined && hold.hiddenIn === undefined) || this.#beingWritten.has(folder);
  }

  /** Deletions of this folder are held until this directory has been listed; undefined: none is. */
  hiddenIn(folder: string): DirectoryRef | undefined {
    return this.#ledger.hold(folder)?.hiddenIn;
  }

  /** How many are held: before the folder could be listed, as many as there were when it could be. */
  count(folder: string, seen: number): number {
    const isSeen = this.#options.folders.viewOf(folder).isScanned;
    return isSeen ? seen : Math.max(seen, this.#ledger.hold(folder)?.documents ?? 0);
  }

  /** Kept across a restart. `hiddenIn`: it ends by itself when this directory has been listed. */
  async begin(folder: string, reason: string, hiddenIn?: DirectoryRef): Promise<void> {
    if (hiddenIn === undefined) this.#beingWritten.set(folder, reason);
    try {
      const since = this.#options.clock.now();
      const documents = this.tasks(folder).length;
      await this.#writer.commit([{ kind: 'hold', folder, hold: { since, reason, documents, hiddenIn } }]);
    } finally {
      if (hiddenIn === undefined) this.#beingWritten.delete(folder);
    }
  }

  /** How many are held may have changed. Those that are missing and were not judged yet count as before. */
  async recount(folder: string): Promise<void> {
    const hold = this.#ledger.hold(folder);
    const missing = this.#options.tasks.missing(folder).size;
    const documents = Math.max(this.tasks(folder).length, Math.min(hold?.documents ?? 0, missing));
    if (hold !== undefined && documents !== hold.documents)
      await this.#writer.commit([{ kind: 'hold', folder, hold: { ...hold, documents } }]);
  }

  /** Documents of a folder whose deletions are held. */
  tasks(folder: string): readonly Task[] {
    return [...this.#options.tasks.missing(folder)].filter(isHeld);
  }

  /**
   * A person says that these may be deleted, `meant` of one folder, or that their documents stay. Gives those that were
   * still held.
   */
  async answer(folder: string, meant: readonly Task[], keeps: boolean): Promise<readonly Task[]> {
    const held = meant.filter(isHeld);
    if (held.length === 0) {
      await this.endIfEmpty(folder);
      return held;
    }
    const paths = held.map(({ ref }) => ref.path);
    const changes: Change[] = [{ kind: 'approve', folder, paths, ...(keeps ? { keeps } : {}) }];
    // Of the others nobody has said that they may go.
    if (held.length < this.tasks(folder).length) {
      await this.#writer.commitOnce(changes);
      return held;
    }
    changes.push({ kind: 'hold', folder, hold: null });
    const known = this.#ledger.root(folder);
    if (known?.keeps !== undefined)
      changes.push({ kind: 'root', folder, identity: { ...known, keeps: undefined } });
    await this.#writer.commitOnce(changes);
    if (this.#areAllAnswered(folder)) await this.#options.roots.accept(folder);
    return held;
  }

  /** The file is back, or the deletion is done: what a person said is used up. Who keeps a document does until then. */
  async endApproval({ ref, hasRecord, present }: Task): Promise<void> {
    if (!hasRecord) return;
    const { folder, path } = ref;
    const answer = this.#ledger.answer(ref);
    if (answer === 'delete' || (answer === 'keep' && present))
      await this.#writer.commit([{ kind: 'unapprove', folder, paths: [path] }]);
    await this.endIfEmpty(folder);
  }

  /**
   * A file that came back while the daemon was down has no task. What was decided about it ends, so that a person is
   * asked when it goes another time. Null: none has.
   */
  approvalsEndedBy({ folder, directory, entries }: DirectoryScan): Change | null {
    if (!this.#ledger.hasApprovals(folder)) return null;
    const paths = entries
      .map(({ name }) => joinPath(directory, name))
      .filter((path) => this.#ledger.answer({ folder, path }) !== undefined);
    return paths.length === 0 ? null : { kind: 'unapprove', folder, paths };
  }

  /** A hold that holds nothing ends, once everything was listed. */
  async endIfEmpty(folder: string): Promise<void> {
    if (this.#ledger.hold(folder) === undefined || !this.#options.folders.viewOf(folder).isScanned) return;
    if (this.#areAllAnswered(folder)) await this.#writer.commit([{ kind: 'hold', folder, hold: null }]);
  }

  /** No deletion of a folder is in question. */
  #areAllAnswered(folder: string): boolean {
    for (const { ref } of this.#options.tasks.missing(folder))
      if (this.#ledger.answer(ref) === undefined) return false;
    return true;
  }
}

function isHeld({ state }: Task): boolean {
  return state.kind === 'held';
}
