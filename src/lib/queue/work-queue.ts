import PQueue from 'p-queue';
import type { Queue } from 'p-queue';

/** Levels of work, the lower the later. */
type Level = 0 | 1 | 2 | 3 | 4 | 5;

/** An entry of p-queue costs a kilobyte: of each level no more than these are in it, the others wait as keys. */
const windowSize = 1_000;

/** Work by key on a p-queue: by level, newest first, with a reserve for lower levels, as `PriorityQueue` has it. */
export class WorkQueue {
  #run: (key: string) => Promise<void>;
  readonly #afterEach: () => void;
  readonly #queue: PQueue<PriorityQueue>;
  /** Levels of the keys in the p-queue, and how many each has. */
  readonly #levels = new Map<string, Level>();
  readonly #inWindow = Array.from({ length: levelCount }, () => 0);
  /** What is beyond the window, by level, in the order of its coming: when it became due, by key. */
  readonly #beyond = Array.from({ length: levelCount }, () => new Map<string, number>());

  constructor({
    concurrency,
    run,
    afterEach,
  }: {
    readonly concurrency: number;
    /** Has to find out whether the key still has work. Must not reject. Without it, `startFirst` alone starts work. */
    readonly run?: (key: string) => Promise<void>;
    /** Called when one has ended and its place is free. */
    readonly afterEach: () => void;
  }) {
    this.#run = run ?? nothing;
    this.#afterEach = afterEach;
    this.#queue = new PQueue({ concurrency, queueClass: PriorityQueue, autoStart: run !== undefined });
  }

  /** Puts work in its place; what waits under this key already gets the new one. */
  put(key: string, level: Level, atMs: number): void {
    const known = this.#levels.get(key);
    if (known !== undefined) {
      if (known !== level) this.#move(key, level);
      this.#queue.setPriority(key, priorityOf(level, atMs));
      return;
    }
    for (const waiting of this.#beyond) waiting.delete(key);
    if ((this.#inWindow[level] ?? 0) < windowSize) this.#enqueue(key, level, atMs);
    else this.#beyond[level]?.set(key, atMs);
  }

  /** Keys that wait, those without work included. */
  get size(): number {
    return this.#levels.size + this.#beyond.reduce((total, { size }) => total + size, 0);
  }

  /** The level of what comes first, 0 where nothing waits. */
  get firstLevel(): number {
    return Math.max(
      0,
      this.#inWindow.findLastIndex((count) => count > 0),
    );
  }

  get running(): number {
    return this.#queue.pending;
  }

  /** Keys that wait, but for those that wait for a place in the p-queue. */
  keys(): Iterable<string> {
    return this.#levels.keys();
  }

  /**
   * Starts the first key in line that has work: `run` gives it, null for a key that has none any more. False: no key had,
   * or as many run as may. `called`: this one of `keys` is the first in line now.
   */
  startFirst(run: (key: string) => Promise<void> | null, called?: string): boolean {
    let isStarted = false;
    if (this.#queue.pending >= this.#queue.concurrency) return false;
    if (called !== undefined) this.#queue.setPriority(called, calledPriority);
    this.#run = (key) => {
      // Before it begins: p-queue starts keys one after the other until it is paused.
      this.#queue.pause();
      const work = run(key);
      isStarted = work !== null;
      return work ?? nothing();
    };
    // Each turn is one key, which runs at once. One without work keeps its place until the next microtask.
    while (this.#queue.size > 0 && this.#queue.pending < this.#queue.concurrency) {
      this.#queue.start();
      if (isStarted) return true;
    }
    return false;
  }

  /** Starts nothing any more; resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#queue.pause();
    this.#queue.clear();
    this.#levels.clear();
    for (const waiting of this.#beyond) waiting.clear();
    await this.#queue.onPendingZero();
  }

  #enqueue(key: string, level: Level, atMs: number): void {
    this.#levels.set(key, level);
    this.#inWindow[level] = (this.#inWindow[level] ?? 0) + 1;
    const added = this.#queue.add(() => this.#begin(key), { id: key, priority: priorityOf(level, atMs) });
    void added.finally(this.#afterEach);
  }

  #move(key: string, to: Level | null): void {
    const from = this.#levels.get(key);
    if (from !== undefined) this.#inWindow[from] = (this.#inWindow[from] ?? 1) - 1;
    if (to === null) this.#levels.delete(key);
    else {
      this.#levels.set(key, to);
      this.#inWindow[to] = (this.#inWindow[to] ?? 0) + 1;
    }
  }

  #begin(key: string): Promise<void> {
    const level = this.#levels.get(key);
    this.#move(key, null);
    // First: in `startFirst` it pauses the queue, and the next one must not start as it enters.
    const done = this.#run(key);
    const [next] = level === undefined ? [] : (this.#beyond[level] ?? []);
    if (next !== undefined && level !== undefined) {
      this.#beyond[level]?.delete(next[0]);
      this.#enqueue(next[0], level, next[1]);
    }
    return done;
  }
}

function nothing(): Promise<void> {
  return Promise.resolve();
}

type RunFunction = () => Promise<unknown>;

interface Options {
  readonly id?: string;
  readonly priority?: number;
}

interface Entry {
  readonly id: string;
  readonly priority: number;
  readonly run: RunFunction;
}

interface LevelEntries {
  /** What comes next is the last. */
  readonly entries: Entry[];
  /** Turns that this level had in a row while a lower one waited. */
  turns: number;
}

/** Room for times in milliseconds between one level and the next. */
const levelWidth = 1e14;
const levelCount = 6;
/** While a lower level waits, every fourth entry is taken from it. */
const turnsBeforeReserve = 3;
/** While the lowest waits, every eighth entry of those above. */
const turnsBeforeLowest = 7;
/** Of the entry that is called before its turn. */
const calledPriority = levelCount * levelWidth;

/**
 * The number by which p-queue knows a place: a higher level goes before a lower one, and the newest first within one.
 */
export function priorityOf(level: number, atMs: number): number {
  return level * levelWidth + Math.min(Math.max(0, atMs), levelWidth - 1);
}

/**
 * The queue inside a p-queue: levels 4 (first) to 0, newest first within each and among equals in the order of their
 * coming, with a reserve: of four turns that a level could have, the levels below it together get one, and share it
 * among themselves by the same rule; level 0 alone gets one of eight. So what comes first is taken second at the latest,
 * and nothing below is starved. Sorted lists will do: the window of `WorkQueue` keeps them short.
 */
export class PriorityQueue implements Queue<RunFunction, Options> {
  #called: Entry | null = null;
  readonly #levels = Array.from({ length: levelCount }, (): LevelEntries => ({ entries: [], turns: 0 }));

  get size(): number {
    const called = this.#called === null ? 0 : 1;
    return this.#levels.reduce((total, { entries }) => total + entries.length, called);
  }

  /** p-queue gives an id to whatever has none. */
  enqueue(run: RunFunction, { id = '', priority = 0 }: Options = {}): void {
    if (priority === calledPriority) {
      this.#called = { id, priority, run };
      return;
    }
    const level = this.#levels[Math.floor(priority / levelWidth)];
    if (level === undefined) throw new RangeError(`no level has the priority ${priority}`);
    level.entries.splice(insertionIndex(level.entries, priority), 0, { id, priority, run });
  }

  dequeue(): RunFunction | undefined {
    if (this.#called !== null) {
      const { run } = this.#called;
      this.#called = null;
      return run;
    }
    const level = inTurn(this.#levels.toReversed()).find(({ entries }) => entries.length > 0);
    if (level !== undefined) this.#countTurn(level);
    return level?.entries.pop()?.run;
  }

  setPriority(id: string, priority: number): void {
    for (const { entries } of this.#levels) {
      const place = entries.findIndex((entry) => entry.id === id);
      const known = entries[place];
      if (known === undefined) continue;
      if (known.priority === priority) return;
      entries.splice(place, 1);
      return this.enqueue(known.run, { id, priority });
    }
  }

  filter({ priority }: Options): RunFunction[] {
    const entries = this.#levels.flatMap((level) => level.entries);
    return entries.filter((entry) => entry.priority === priority).map(({ run }) => run);
  }

  #countTurn(served: LevelEntries): void {
    const place = this.#levels.indexOf(served);
    for (const above of this.#levels.slice(place + 1)) above.turns = 0;
    const lowerWaits = this.#levels.slice(0, place).some(({ entries }) => entries.length > 0);
    served.turns = lowerWaits ? served.turns + 1 : 0;
  }
}

/** Before the first entry that is as urgent: what came earlier goes first. */
function insertionIndex(entries: readonly Entry[], priority: number): number {
  let from = 0;
  let to = entries.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((entries[middle]?.priority ?? 0) < priority) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The levels as they are to be asked for the next entry. */
function inTurn([level, ...lower]: readonly LevelEntries[]): readonly LevelEntries[] {
  if (level === undefined) return [];
  const isLowestAlone = lower.slice(0, -1).every(({ entries }) => entries.length === 0);
  const turns = isLowestAlone ? turnsBeforeLowest : turnsBeforeReserve;
  return level.turns >= turns ? [...inTurn(lower), level] : [level, ...inTurn(lower)];
}
