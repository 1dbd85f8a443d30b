import { SetsByKey } from '../../lib/sets-by-key.ts';
import { directoryOf, fileKey, nameOf, refKey } from '../../model/document.ts';
import { inDoubtCode } from '../../model/doubts.ts';
import type { DocumentRef, FileStat } from '../../model/document.ts';
import { noWaits } from '../../model/report/wait-kinds.ts';
import type { WaitKind } from '../../model/report/wait-kinds.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import { Backlog } from './backlog.ts';
import { isAttached, isDismissed, isNotTaken, newFacts, next, waitOf } from './task.ts';
import type { StateKind, Task, TaskEvent, TaskFacts } from './task.ts';

/** Counts of one folder's tasks. `present` ones are files on disk. */
interface FolderCounts {
  pending: number;
  waiting: number;
  /** Files that stay attachments of other documents. */
  attached: number;
  /** What waits, by what it waits for. */
  readonly waitingFor: Record<WaitKind, number>;
  failed: number;
  /** Uploads in doubt that wait for a person, and are not among those that failed. */
  inDoubt: number;
  /** Documents that a person does not want to be sent. */
  dismissed: number;
  held: number;
  /** Documents at the service that are no longer ingestd's to send or delete. */
  kept: number;
  /** Absent ones that are queued or under way. */
  removing: number;
  /** Absent ones that wait out their grace or a retry. */
  removingLater: number;
  /** Tasks and files of the backlog whose path has a record: these records are not counted as synced. */
  withRecord: number;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const noTasks: ReadonlyMap<string, Task> = new Map();

/**
 * All tasks, found by path, by directory and by what their files look like, and counted as they move. The only place
 * that changes a task.
 */
export class TaskStore {
  /** Files that are no tasks yet. They count as pending. */
  readonly backlog = new Backlog();
  readonly #ledger: Pick<LedgerPort, 'get'>;
  readonly #monotonic: () => number;
  readonly #tasks = new Map<string, Mutable<Task>>();
  readonly #directories = new Map<string, Map<string, Task>>();
  readonly #states = new SetsByKey<StateKind, Task>();
  readonly #missing = new SetsByKey<string, Task>();
  readonly #held = new SetsByKey<string, Task>();
  readonly #missingSizes = new SetsByKey<number, Task>();
  readonly #newSizes = new SetsByKey<number, Task>();
  readonly #files = new SetsByKey<number | string, Task>();
  /** The sizes under which a missing one was entered: its record may be gone when it leaves. */
  readonly #sizesOf = new Map<Task, ReadonlySet<number>>();
  readonly #counts = new Map<string, FolderCounts>();

  constructor(ledger: Pick<LedgerPort, 'get'>, monotonic: () => number) {
    this.#ledger = ledger;
    this.#monotonic = monotonic;
  }

  get(ref: DocumentRef): Task | undefined {
    return this.#tasks.get(refKey(ref));
  }

  byKey(key: string): Task | undefined {
    return this.#tasks.get(key);
  }

  /** False: it was closed, and its path may have another task by now. */
  has(task: Task): boolean {
    return this.#tasks.get(task.key) === task;
  }

  /** Tasks of one directory by file name. Live: do not change it while going over it. */
  inDirectory(folder: string, directory: string): ReadonlyMap<string, Task> {
    return this.#directories.get(`${folder}/${directory}`) ?? noTasks;
  }

  /** Makes a task that waits to be inspected, or gives the one that is there. `since`: monotonic ms, when it differed. */
  open(
    ref: DocumentRef,
    first: Pick<TaskFacts, 'present' | 'priority' | 'at'> & Partial<Pick<TaskFacts, 'seen'>>,
    since = this.#monotonic(),
  ): Task {
    const key = refKey(ref);
    const known = this.#tasks.get(key);
    if (known !== undefined) return known;
    const hasRecord = this.#ledger.get(ref) !== undefined;
    const facts = newFacts({ seen: null, ...first, hasRecord });
    const { folder, path } = ref;
    const task = { key, ref: { folder, path }, since, ...facts };
    this.#tasks.set(key, task);
    const place = `${folder}/${directoryOf(path)}`;
    const directory = this.#directories.get(place);
    if (directory === undefined) this.#directories.set(place, new Map([[nameOf(path), task]]));
    else directory.set(nameOf(path), task);
    this.#enter(task);
    return task;
  }

  /** Moves a task along the table of `next`. One that was closed stays as it was. */
  apply(task: Task, event: TaskEvent): void {
    const known = this.#tasks.get(task.key);
    if (known === undefined || known !== task) return;
    const now = next(known, event);
    if (now === known) return;
    this.#leave(known);
    Object.assign(known, now);
    this.#enter(known);
  }

  close(task: Task): void {
    if (!this.has(task)) return;
    this.#leave(task);
    this.#tasks.delete(task.key);
    const place = `${task.ref.folder}/${directoryOf(task.ref.path)}`;
    const directory = this.#directories.get(place);
    directory?.delete(nameOf(task.ref.path));
    if (directory?.size === 0) this.#directories.delete(place);
  }

  /** Those that differ longest come first. */
  all(): Iterable<Task> {
    return this.#tasks.values();
  }

  /** In the order of their coming. Live: do not change them while going over it. */
  in(kind: StateKind): ReadonlySet<Task> {
    return this.#states.of(kind);
  }

  /** Tasks of files that are gone, with a record, by a size recorded or last seen: a new file may come from there. */
  missingOfSize(size: number): Iterable<Task> {
    return this.#missingSizes.of(size);
  }

  isMissingOfSize(size: number): boolean {
    return this.#missingSizes.has(size);
  }

  missing(folder: string): ReadonlySet<Task> {
    return this.#missing.of(folder);
  }

  /** Those of them whose deletions wait for a person. */
  held(folder: string): ReadonlySet<Task> {
    return this.#held.of(folder);
  }

  /** Tasks of files without a record that could be the one of this stat: of its size, or the same file. A copy. */
  newcomersLike(stat: FileStat): readonly Task[] {
    const others = [...this.presentLike(stat)].filter(
      ({ hasRecord, seen }) => !hasRecord && seen?.stat.size !== stat.size,
    );
    return [...this.#newSizes.of(stat.size), ...others];
  }

  /** Tasks of files that stand there and may be this one, by `fileKey`, as last seen. */
  presentLike(stat: FileStat): Iterable<Task> {
    return this.#files.of(fileKey(stat));
  }

  counts(folder: string): Readonly<FolderCounts> {
    const counts = this.#countsOf(folder);
    return {
      ...counts,
      pending: counts.pending + this.backlog.count(folder),
      withRecord: counts.withRecord + this.backlog.countRecorded(folder),
    };
  }

  #enter(task: Task): void {
    this.#count(task, 1);
    const { kind } = task.state;
    this.#states.add(kind, task);
    if (kind === 'held') this.#held.add(task.ref.folder, task);
    if (task.present) {
      if (task.seen === null) return;
      this.#files.add(fileKey(task.seen.stat), task);
      if (!task.hasRecord) this.#newSizes.add(task.seen.stat.size, task);
      return;
    }
    if (!task.hasRecord || kind === 'dormant') return;
    this.#missing.add(task.ref.folder, task);
    const sizes = new Set([this.#ledger.get(task.ref)?.stat.size ?? -1, task.seen?.stat.size ?? -1]);
    this.#sizesOf.set(task, sizes);
    for (const size of sizes) this.#missingSizes.add(size, task);
  }

  #leave(task: Task): void {
    this.#count(task, -1);
    this.#states.delete(task.state.kind, task);
    this.#held.delete(task.ref.folder, task);
    if (task.present && task.seen !== null) {
      this.#files.delete(fileKey(task.seen.stat), task);
      this.#newSizes.delete(task.seen.stat.size, task);
    }
    this.#missing.delete(task.ref.folder, task);
    for (const size of this.#sizesOf.get(task) ?? []) this.#missingSizes.delete(size, task);
    this.#sizesOf.delete(task);
  }

  #count(task: Task, by: 1 | -1): void {
    const counts = this.#countsOf(task.ref.folder);
    if (task.hasRecord) counts.withRecord += by;
    const place = counterOf(task);
    if (place !== null) counts[place] += by;
    const kind = waitOf(task) ?? 'other';
    if (place === 'waiting' && kind !== 'attached') counts.waitingFor[kind] += by;
  }

  #countsOf(folder: string): FolderCounts {
    let counts = this.#counts.get(folder);
    if (counts === undefined) {
      counts = {
        pending: 0,
        waiting: 0,
        attached: 0,
        waitingFor: noWaits(),
        failed: 0,
        inDoubt: 0,
        dismissed: 0,
        held: 0,
        kept: 0,
        removing: 0,
        removingLater: 0,
        withRecord: 0,
      };
      this.#counts.set(folder, counts);
    }
    return counts;
  }
}

/** The count that a task belongs to; null: none of them. */
export function counterOf(task: Task): Exclude<keyof FolderCounts, 'withRecord' | 'waitingFor'> | null {
  const { state, present, waitedFor, hasRecord } = task;
  if (present && isAttached(task)) return 'attached';
  if (present && isDismissed(task)) return 'dismissed';
  // What was never sent is not to be deleted.
  if (!present && !hasRecord && state.kind !== 'sending') return null;
  if (isNotTaken(task)) return present ? 'failed' : 'held';
  switch (state.kind) {
    case 'inspect':
    case 'inspecting':
      if (waitedFor !== null) return present ? 'waiting' : 'removingLater';
      return present ? 'pending' : 'removing';
    case 'ready':
    case 'sending':
      return present ? 'pending' : 'removing';
    case 'settling':
    case 'grace':
    case 'retry':
    case 'waiting':
      return present ? 'waiting' : 'removingLater';
    case 'failed':
      if (!present) return 'held';
      return state.reason.code === inDoubtCode ? 'inDoubt' : 'failed';
    case 'held':
      return 'held';
    case 'dormant':
      return hasRecord ? 'kept' : null;
  }
}
