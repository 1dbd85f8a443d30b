import { SetsByKey } from '../../lib/sets-by-key.ts';
import { maxBulkDocuments } from '../../model/operation.ts';
import { isReady } from '../tasks/task.ts';
import type { ReadyTask, Task } from '../tasks/task.ts';

/**
 * A higher level is served first. `untaken`: what the service did not take when it was tried last, so that it keeps
 * nothing else from being tried.
 */
export const levels = { narrowing: 5, live: 4, retry: 3, backlog: 2, deletion: 1, untaken: 0 } as const;

/** What may go out under one key, and its place among the others. */
export interface LineEntry {
  readonly key: string;
  readonly level: (typeof levels)[keyof typeof levels];
  /** Its folder. */
  readonly source: string;
  readonly atMs: number;
}

/** How things stand when it is asked what may go out. */
export interface LineConditions {
  /** Names of folders of which nothing is sent. */
  readonly paused: ReadonlySet<string>;
  /** False: what is new in this folder may be gone in another one that is not scanned yet. */
  readonly mayUpload: (folder: string) => boolean;
  /** No path waits for its inspection: nothing more is on its way into a group. */
  readonly isQuiet: boolean;
  /** Documents that wait out their grace: their deletions may share a call. */
  readonly inGrace: number;
  /** Nobody knows whether the service is there: what was not taken together is tried in smaller parts. */
  readonly isProbing: boolean;
  /** Monotonic, ms. */
  readonly now: number;
}

/** What could share a call waits this long for others that are still inspected. */
const gatherMs = 5_000;
/** Among what was not taken, what failed least often comes first. More failures than these count as these. */
const mostCounted = 1_000_000;
/** No key of a task begins with this. */
const bulkPrefix = '\0';

/**
 * What is ready and not under way: what can share a call gathers in groups, and what may not start is blocked. It gives
 * the keys that may go out now, and says later, when the permit is there, what still goes out under them.
 */
export class SendLine {
  readonly #groups = new SetsByKey<string, ReadyTask>();
  /** By folder: until it is certain that an upload is no move, or until a pause ends. */
  readonly #blocked = new SetsByKey<string, ReadyTask>();

  /** A task has become ready. Null: it has to wait. */
  enter(task: ReadyTask, conditions: LineConditions): LineEntry | null {
    const { state } = task;
    if (state.bulkKey !== null) {
      this.#groups.add(state.bulkKey, task);
      const group = this.#groups.of(state.bulkKey);
      return group.size < maxBulkDocuments ? null : entryOfGroup(state.bulkKey, group, conditions);
    }
    if (mayStart(task, conditions)) return entryOf(task.key, task);
    this.block(task);
    return null;
  }

  /** Has what is ready wait; what can share a call waits in its group. */
  block(task: ReadyTask): void {
    if (task.state.bulkKey === null) this.#blocked.add(task.ref.folder, task);
  }

  /** It is ready no more: something else is to be done with it, or nothing. */
  leave(task: Task, bulkKey: string | null): void {
    this.#blocked.delete(task.ref.folder, task as ReadyTask);
    if (bulkKey !== null) this.#groups.delete(bulkKey, task as ReadyTask);
  }

  /** What has gathered long enough, each time it is asked, and once what nothing blocks any more. */
  release(conditions: LineConditions): readonly LineEntry[] {
    const entries: LineEntry[] = [];
    for (const folder of Array.from(this.#blocked.keys()))
      for (const task of Array.from(this.#blocked.of(folder))) {
        if (!mayStart(task, conditions)) continue;
        this.#blocked.delete(folder, task);
        entries.push(entryOf(task.key, task));
      }
    for (const bulkKey of this.#groups.keys()) {
      const entry = entryOfGroup(bulkKey, this.#groups.of(bulkKey), conditions);
      if (entry !== null) entries.push(entry);
    }
    return entries;
  }

  /** The tasks that go out together under a given key; none where they are ready no more. `task`: of that key. */
  tasksUnder(key: string, task: Task | undefined, conditions: LineConditions): readonly ReadyTask[] {
    if (key.startsWith(bulkPrefix)) {
      const group = this.#groups.of(key.slice(bulkPrefix.length));
      const members = isGathered(group, conditions) ? [...group].slice(0, callSize(group, conditions)) : [];
      return members.some(({ ref }) => conditions.paused.has(ref.folder)) ? [] : members;
    }
    if (task === undefined || conditions.paused.has(task.ref.folder)) return [];
    if (!isReady(task) || task.state.bulkKey !== null) return [];
    if (mayStart(task, conditions)) return [task];
    this.block(task);
    return [];
  }

  /** Something waits here that a pause does not keep back. */
  isGathering(paused: ReadonlySet<string>): boolean {
    for (const folder of this.#blocked.keys()) if (!paused.has(folder)) return true;
    for (const bulkKey of this.#groups.keys()) {
      const [first] = this.#groups.of(bulkKey);
      if (first !== undefined && !paused.has(first.ref.folder)) return true;
    }
    return false;
  }

  /** How many requests fewer than documents go out, because some share a call, of those that no pause keeps back. */
  savedCount(paused: ReadonlySet<string>): number {
    let count = 0;
    for (const bulkKey of this.#groups.keys()) {
      const group = this.#groups.of(bulkKey);
      const [first] = group;
      if (first !== undefined && !paused.has(first.ref.folder))
        count += group.size - Math.ceil(group.size / maxBulkDocuments);
    }
    return count;
  }

  /** Documents that wait for the end of a pause. */
  pausedCount(paused: ReadonlySet<string>): number {
    let count = 0;
    for (const folder of paused) count += this.#blocked.of(folder).size;
    for (const bulkKey of this.#groups.keys()) {
      const group = this.#groups.of(bulkKey);
      const [first] = group;
      if (first !== undefined && paused.has(first.ref.folder)) count += group.size;
    }
    return count;
  }
}

function mayStart({ ref: { folder }, state }: ReadyTask, { paused, mayUpload }: LineConditions): boolean {
  return !paused.has(folder) && (state.operation !== 'upload' || mayUpload(folder));
}

function entryOf(key: string, { priority, at, ref, state, untaken }: ReadyTask): LineEntry {
  const source = ref.folder;
  if (untaken !== null) {
    const atMs = mostCounted - Math.min(untaken.count, mostCounted);
    return { key, level: levels.untaken, source, atMs };
  }
  if (state.narrows === true) return { key, level: levels.narrowing, source, atMs: at };
  const level = levels[state.operation === 'delete' ? 'deletion' : priority];
  return { key, level, source, atMs: at };
}

function entryOfGroup(
  bulkKey: string,
  group: ReadonlySet<ReadyTask>,
  conditions: LineConditions,
): LineEntry | null {
  const [first] = group;
  if (first === undefined || conditions.paused.has(first.ref.folder)) return null;
  return isGathered(group, conditions) ? entryOf(bulkPrefix + bulkKey, first) : null;
}

/** How many go out in one call: a quarter as many with each time that they were not taken. */
function callSize(group: ReadonlySet<ReadyTask>, { isProbing }: LineConditions): number {
  const [first] = group;
  const parts = isProbing ? 4 ** (first?.untaken?.count ?? 0) : 1;
  return Math.min(maxBulkDocuments, Math.ceil(group.size / parts));
}

/** Whether those that could share a call have come: it is full, it waited long enough, or no others are on their way. */
function isGathered(group: ReadonlySet<ReadyTask>, { now, inGrace, isQuiet }: LineConditions): boolean {
  const [first] = group;
  if (first === undefined) return false;
  if (group.size >= maxBulkDocuments || now - first.state.since >= gatherMs) return true;
  return isQuiet && (first.state.operation !== 'delete' || inGrace === 0);
}
