import { createTurns } from '../../lib/queue/turns.ts';
import type { Verdict } from '../../model/deletion-guard.ts';
import { joinPath, sameFile } from '../../model/document.ts';
import type { DirectoryScan, DocumentRef, FileStat } from '../../model/document.ts';
import type { DirectoryRef, Hold } from '../../model/ports/ledger-port.ts';
import type { Task } from '../tasks/task.ts';
import { heldTogether, judgeMissing } from './deletions.ts';
import type { EngineParts } from '../parts.ts';
import type { FolderRoots } from '../folders/folder-roots.ts';

/** What is to become of deletions that are about to go out. */
export type DeletionVerdict =
  | { readonly kind: 'allow' }
  /** It cannot be said now, or all that would be held is being inspected: judged again a little later. */
  | { readonly kind: 'later' }
  /** These are held, with the deletions that were judged among them. */
  | { readonly kind: 'hold'; readonly tasks: readonly Task[]; readonly reason: string };

/** Deletions that a person is asked about: which are held, which were approved, and when both end. */
export class DeletionHolds {
  readonly #parts: EngineParts;
  readonly #roots: FolderRoots;
  readonly #returned: (ref: DocumentRef, was: 'delete' | 'keep') => void;
  readonly #inTurn = createTurns();
  /** Holds that are being written to the ledger, by folder. */
  readonly #beingWritten = new Map<string, Hold>();

  /** `returned`: called for each file that is back, with what a person had decided about it. */
  constructor(
    parts: EngineParts,
    roots: FolderRoots,
    returned: (ref: DocumentRef, was: 'delete' | 'keep') => void,
  ) {
    this.#parts = parts;
    this.#roots = roots;
    this.#returned = returned;
  }

  /** Judges deletions of one folder that are about to go out. Those that may not are held, with all like them. */
  async judge(folder: string, judged: readonly Task[]): Promise<DeletionVerdict> {
    if (judged.every(({ ref }) => this.#parts.ledger.isApproved(ref))) return { kind: 'allow' };
    const verdict = await this.#verdict(folder, await this.#isInSight(this.hiddenIn(folder)));
    if (verdict?.kind !== 'hold') return verdict ?? { kind: 'later' };
    const { clock, tasks, ledger, settings } = this.#parts;
    const lastOver = clock.monotonic() - settings.timing.removeGraceMs;
    const due = heldTogether(judged, folder, { tasks, ledger }, lastOver);
    return due.length === 0 ? { kind: 'later' } : { ...verdict, tasks: due };
  }

  /** Of all that is missing. `isOver`: whatever it is held for already. Null: it cannot be said now. */
  async #verdict(folder: string, isOver: boolean): Promise<Verdict | null> {
    const { clock, folders, tasks, ledger, settings } = this.#parts;
    const mounts = await folders.mountsNow(folder);
    if (mounts === null) return null;
    return judgeMissing(folder, {
      tasks,
      ledger,
      view: folders.viewOf(folder),
      root: await folders.rootNow(folder),
      mounts,
      heldFor: isOver ? undefined : this.#hold(folder)?.reason,
      limits: settings.safety,
      clock,
    });
  }

  /** Whether a directory that may have hidden files was listed, or is gone: what was in it is where it went, or nowhere. */
  async #isInSight(hidden: DirectoryRef | undefined): Promise<boolean> {
    if (hidden === undefined) return false;
    const { folders } = this.#parts;
    if (folders.isListed(hidden)) return true;
    const port = hidden.path === '' ? undefined : folders.get(hidden.folder)?.port;
    // Of any name in it: what cannot be read, or is left out by a rule, is not absent.
    return (await port?.inspect(joinPath(hidden.path, 'a.txt')))?.kind === 'absent';
  }

  #hold(folder: string): Hold | undefined {
    return this.#beingWritten.get(folder) ?? this.#parts.ledger.hold(folder);
  }

  /** Deletions of this folder are held already, and not only until a directory can be read: whoever is asked knows. */
  isHeld(folder: string): boolean {
    const hold = this.#hold(folder);
    return hold !== undefined && hold.hiddenIn === undefined;
  }

  /** Deletions of this folder are held until this directory has been listed; undefined: none is. */
  hiddenIn(folder: string): DirectoryRef | undefined {
    return this.#hold(folder)?.hiddenIn;
  }

  /** How many are held: before the folder could be listed, as many as there were when it could be. */
  count(folder: string, seen: number): number {
    const isSeen = this.#parts.folders.viewOf(folder).isScanned;
    return isSeen ? seen : Math.max(seen, this.#parts.ledger.hold(folder)?.documents ?? 0);
  }

  /** Kept across a restart. `hiddenIn`: it ends by itself when this directory has been listed. */
  async begin(folder: string, hold: Pick<Hold, 'reason' | 'documents' | 'hiddenIn'>): Promise<void> {
    await this.#write(folder, { since: this.#parts.clock.now(), ...hold });
  }

  async #write(folder: string, hold: Hold): Promise<void> {
    this.#beingWritten.set(folder, hold);
    try {
      await this.#parts.writer.commit([{ kind: 'hold', folder, hold }]);
    } finally {
      if (this.#beingWritten.get(folder) === hold) this.#beingWritten.delete(folder);
    }
  }

  /** How many are held may have changed. Those that are missing and were not judged yet count as before. */
  async recount(folder: string): Promise<void> {
    const hold = this.#hold(folder);
    if (hold === undefined) return;
    const { tasks } = this.#parts;
    const before = hold.documents ?? 0;
    const documents = Math.max(tasks.held(folder).size, Math.min(before, tasks.missing(folder).size));
    if (documents !== before) await this.#write(folder, { ...hold, documents });
  }

  /** Documents of a folder whose deletions are held. */
  tasks(folder: string): readonly Task[] {
    return [...this.#parts.tasks.held(folder)];
  }

  /** Documents of a folder that a person may keep: their deletions are held, or refused, or released and not under way. */
  unanswered(folder: string): readonly Task[] {
    return [...this.#parts.tasks.missing(folder)].filter(this.#isUnanswered);
  }

  readonly #isUnanswered = ({ ref, state }: Task): boolean => {
    if (state.kind === 'ready') return this.#parts.ledger.answer(ref) === 'delete';
    if (state.kind === 'retry') return state.reason.code === 'http-403';
    return state.kind === 'held' || state.kind === 'failed';
  };

  /**
   * A person says that these may be deleted, `meant` of one folder, or that their documents stay. Gives those that still
   * waited for it.
   */
  async answer(folder: string, meant: readonly Task[], keeps: boolean): Promise<readonly Task[]> {
    const waiting = () => meant.filter(keeps ? this.#isUnanswered : isHeld);
    // Of others that have gone nobody has said that they may go, and with these they may be too many.
    const isOver =
      this.#areAllAnswered(folder, waiting()) || (await this.#verdict(folder, true))?.kind === 'allow';
    // What came back meanwhile waits no more: it may not be deleted without a question when it goes another time.
    const held = waiting();
    if (held.length === 0) {
      await this.endIfEmpty(folder);
      return held;
    }
    const paths = held.map(({ ref }) => ref.path);
    const others = this.tasks(folder).filter((task) => !held.includes(task));
    const endsHold = isOver && others.every(({ ref }) => this.#parts.ledger.answer(ref) !== undefined);
    const known = endsHold ? this.#parts.ledger.root(folder) : undefined;
    // Together: what a person is told was refused is not done.
    await this.#parts.writer.commitDecision([
      { kind: 'approve', folder, paths, ...(keeps ? { keeps } : {}) },
      ...(endsHold ? [{ kind: 'hold' as const, folder, hold: null }] : []),
      ...(known?.keeps === undefined
        ? []
        : [{ kind: 'root' as const, folder, identity: { ...known, keeps: undefined } }]),
    ]);
    if (endsHold && this.#areAllAnswered(folder)) await this.#roots.accept(folder);
    return held;
  }

  /** The file is back, or the deletion is done: what a person said is used up. Who keeps a document does until then. */
  async endApproval({ ref, hasRecord, present, seen }: Task): Promise<void> {
    if (!hasRecord) return;
    const { folder, path } = ref;
    if (this.#parts.ledger.isApproved(ref) || (present && this.#isUsedUp(ref, seen)))
      await this.#endAnswers(folder, [path], present);
    await this.endIfEmpty(folder);
  }

  /**
   * Files that came back, while the daemon was down perhaps. What was decided about them ends, so that a person is asked
   * when they go another time.
   */
  async endAnsweredIn({ folder, directory, entries }: DirectoryScan): Promise<void> {
    if (!this.#parts.ledger.hasApprovals(folder)) return;
    const paths = entries
      .map(({ name, stat }) => ({ folder, path: joinPath(directory, name), stat }))
      .filter((one) => this.#isUsedUp(one, one))
      .map(({ path }) => path);
    if (paths.length > 0) await this.#endAnswers(folder, paths, true);
  }

  /** In turn: of what another scan, or an inspection, has ended already there is nothing to say. */
  #endAnswers(folder: string, paths: readonly string[], areBack: boolean): Promise<void> {
    return this.#inTurn(async () => {
      const { ledger, writer } = this.#parts;
      const ended = paths.flatMap((path) => {
        const was = ledger.answer({ folder, path });
        return was === undefined ? [] : [{ path, was }];
      });
      if (ended.length === 0) return;
      await writer.commit([{ kind: 'unapprove', folder, paths: ended.map(({ path }) => path) }]);
      if (areBack) for (const { path, was } of ended) this.#returned({ folder, path }, was);
    });
  }

  /** Whether what stands at a path ends what was said of it: not where another document's own file has come to one that is kept. */
  #isUsedUp(ref: DocumentRef, seen: { readonly stat: FileStat } | null): boolean {
    const { answer, get, findByFile } = this.#parts.ledger;
    if (answer(ref) !== 'keep') return answer(ref) !== undefined;
    const record = get(ref);
    if (seen === null || record === undefined || sameFile(record.stat, seen.stat)) return true;
    return !findByFile(seen.stat).some((one) => sameFile(one.record.stat, seen.stat));
  }

  /** A hold that holds nothing ends, once everything was listed. */
  async endIfEmpty(folder: string): Promise<void> {
    if (this.#hold(folder) === undefined || !this.#parts.folders.viewOf(folder).isScanned) return;
    if (this.#areAllAnswered(folder)) await this.#parts.writer.commit([{ kind: 'hold', folder, hold: null }]);
  }

  /** No deletion of a folder is in question, but for these. */
  #areAllAnswered(folder: string, but: readonly Task[] = []): boolean {
    for (const task of this.#parts.tasks.missing(folder))
      if (this.#parts.ledger.answer(task.ref) === undefined && !but.includes(task)) return false;
    return true;
  }
}

function isHeld({ state }: Task): boolean {
  return state.kind === 'held';
}
