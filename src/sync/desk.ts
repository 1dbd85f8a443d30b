import { directoryOf, nameOf, refKey } from '../model/document.ts';
import type { DocumentRef, FileStamp } from '../model/document.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import { createTaskIndex } from './task-index.ts';
import type { Phase, Task } from './task.ts';

/** Counts of one folder's tasks. `present` ones are files on disk. */
interface FolderCounts {
  pending: number;
  waiting: number;
  failed: number;
  held: number;
  /** Absent ones that are queued or under way. */
  removing: number;
  /** Absent ones that wait out their grace or a retry. */
  removingLater: number;
  /** Tasks whose path has a record: these records are not counted as synced. */
  withRecord: number;
}

type Changes = Partial<Omit<Task, 'key' | 'ref' | 'since'>>;

/** All tasks, found by path, by directory, and counted as they move. The only place that changes a task. */
export interface Desk {
  readonly get: (ref: DocumentRef) => Task | undefined;
  /** Tasks of one directory by file name. Live: do not change it while going over it. */
  readonly inDirectory: (folder: string, directory: string) => ReadonlyMap<string, Task>;
  /** Makes a task in phase look, or gives the one that is there. */
  readonly open: (ref: DocumentRef, first: Pick<Task, 'present' | 'lane' | 'at'>) => Task;
  readonly change: (task: Task, changes: Changes) => void;
  readonly close: (task: Task) => void;
  /** Those that differ longest come first. */
  readonly all: () => Iterable<Task>;
  readonly inPhase: (phase: Phase) => ReadonlySet<Task>;
  /** Tasks of files that are gone, with a record, by the recorded size: where a new file may have come from. */
  readonly missingOfSize: (size: number) => Iterable<Task>;
  readonly isMissingOfSize: (size: number) => boolean;
  /** Tasks of files without a record that could be the one of this stamp: of its size or its inode. A copy. */
  readonly newcomersLike: (stamp: Pick<FileStamp, 'size' | 'ino'>) => readonly Task[];
  /** Tasks of files that stand there with this inode number, as last seen. */
  readonly presentWithInode: (ino: number) => Iterable<Task>;
  readonly missing: (folder: string) => ReadonlySet<Task>;
  readonly counts: (folder: string) => Readonly<FolderCounts>;
  readonly size: () => number;
}

interface Parts {
  readonly ledger: LedgerPort;
  readonly monotonic: () => number;
  /** Called after every change, for those who wait for one. */
  readonly changed: (task: Task, before: Phase | null) => void;
}

const noTasks: ReadonlyMap<string, Task> = new Map();
const nobody: ReadonlySet<Task> = new Set();

export function createDesk({ ledger, monotonic, changed }: Parts): Desk {
  const tasks = new Map<string, Task>();
  const directories = new Map<string, Map<string, Task>>();
  const phases = new Map<Phase, Set<Task>>();
  const missing = new Map<string, Set<Task>>();
  const missingSizes = createTaskIndex();
  const newSizes = createTaskIndex();
  const inodes = createTaskIndex();
  /** The recorded size under which a missing one was entered: its record may be gone when it leaves. */
  const sizeOf = new Map<Task, number>();
  const counts = new Map<string, FolderCounts>();

  function enter(task: Task): void {
    count(task, 1);
    grow(phases, task.phase, task);
    if (task.present) {
      if (task.stamp === null) return;
      inodes.add(task.stamp.ino, task);
      if (!task.hasRecord) newSizes.add(task.stamp.size, task);
      return;
    }
    if (!task.hasRecord || task.phase === 'dormant') return;
    grow(missing, task.ref.folder, task);
    const size = ledger.get(task.ref)?.stamp.size ?? -1;
    sizeOf.set(task, size);
    missingSizes.add(size, task);
  }

  function leave(task: Task): void {
    count(task, -1);
    shrink(phases, task.phase, task);
    if (task.present && task.stamp !== null) {
      inodes.remove(task.stamp.ino, task);
      newSizes.remove(task.stamp.size, task);
    }
    shrink(missing, task.ref.folder, task);
    const size = sizeOf.get(task);
    if (size === undefined) return;
    sizeOf.delete(task);
    missingSizes.remove(size, task);
  }

  function count(task: Task, by: 1 | -1): void {
    const of = countsOf(task.ref.folder);
    if (task.hasRecord) of.withRecord += by;
    const place = placeOf(task);
    if (place !== null) of[place] += by;
  }

  function countsOf(folder: string): FolderCounts {
    let of = counts.get(folder);
    if (of === undefined) {
      of = { pending: 0, waiting: 0, failed: 0, held: 0, removing: 0, removingLater: 0, withRecord: 0 };
      counts.set(folder, of);
    }
    return of;
  }

  return {
    get: (ref) => tasks.get(refKey(ref)),
    inDirectory: (folder, directory) => directories.get(`${folder}/${directory}`) ?? noTasks,
    open: (ref, first) => {
      const key = refKey(ref);
      const known = tasks.get(key);
      if (known !== undefined) return known;
      const now = monotonic();
      const task: Task = {
        key,
        ref: { folder: ref.folder, path: ref.path },
        phase: 'look',
        present: first.present,
        hasRecord: ledger.get(ref) !== undefined,
        lane: first.lane,
        at: first.at,
        stamp: null,
        context: '',
        since: now,
        phaseSince: now,
        again: false,
        due: null,
        attempts: 0,
        code: null,
        message: null,
        single: false,
        bulkKey: null,
        operation: null,
        hashed: null,
        movedAt: null,
        isLost: false,
        recorded: false,
      };
      tasks.set(key, task);
      const place = `${ref.folder}/${directoryOf(ref.path)}`;
      const directory = directories.get(place) ?? new Map<string, Task>();
      directory.set(nameOf(ref.path), task);
      directories.set(place, directory);
      enter(task);
      changed(task, null);
      return task;
    },
    change: (task, changes) => {
      if (tasks.get(task.key) !== task) return;
      const before = task.phase;
      leave(task);
      if (changes.phase !== undefined && changes.phase !== before) task.phaseSince = monotonic();
      Object.assign(task, changes);
      enter(task);
      changed(task, before);
    },
    close: (task) => {
      if (tasks.get(task.key) !== task) return;
      leave(task);
      tasks.delete(task.key);
      const place = `${task.ref.folder}/${directoryOf(task.ref.path)}`;
      const directory = directories.get(place);
      directory?.delete(nameOf(task.ref.path));
      if (directory?.size === 0) directories.delete(place);
      changed(task, task.phase);
    },
    all: () => tasks.values(),
    inPhase: (phase) => phases.get(phase) ?? nobody,
    missingOfSize: missingSizes.of,
    isMissingOfSize: missingSizes.has,
    newcomersLike: ({ size, ino }) => [
      ...newSizes.of(size),
      ...[...inodes.of(ino)].filter((task) => !task.hasRecord && task.stamp?.size !== size),
    ],
    presentWithInode: inodes.of,
    missing: (folder) => missing.get(folder) ?? nobody,
    counts: countsOf,
    size: () => tasks.size,
  };
}

/** The count that a task belongs to; null: none of them. */
function placeOf(task: Task): Exclude<keyof FolderCounts, 'withRecord'> | null {
  switch (task.phase) {
    case 'look':
    case 'looking':
    case 'ready':
    case 'sending':
      return task.present ? 'pending' : 'removing';
    case 'settling':
    case 'grace':
    case 'retry':
    case 'paired':
      return task.present ? 'waiting' : 'removingLater';
    case 'failed':
      return task.present ? 'failed' : 'held';
    case 'held':
      return 'held';
    case 'dormant':
      return null;
  }
}

function grow<K>(map: Map<K, Set<Task>>, key: K, task: Task): void {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([task]));
  else set.add(task);
}

function shrink<K>(map: Map<K, Set<Task>>, key: K, task: Task): void {
  const set = map.get(key);
  set?.delete(task);
  if (set?.size === 0) map.delete(key);
}
