import PQueue from 'p-queue';

/** Levels of work, the lower the later. */
type Level = 0 | 1 | 2 | 3 | 4 | 5;

/** Of a source, no more than these of each level are in order; the others wait as keys until one of these has begun. */
const windowSize = 1_000;
/** While a lower level waits, every fourth turn is taken from it. */
const turnsBeforeReserve = 3;
/** While the lowest waits, every eighth turn of those above. */
const turnsBeforeLowest = 7;

interface Entry {
  readonly key: string;
  readonly atMs: number;
}

/** What waits of one source. */
interface Lane {
  readonly source: string;
  readonly level: Waiting;
  /** What comes next is the last. */
  readonly entries: Entry[];
  /** What is beyond the window, in the order of its coming: when it became due, by key. */
  readonly beyond: Map<string, number>;
}

interface Waiting {
  /** By source, the next one first. None is empty. */
  readonly lanes: Map<string, Lane>;
  /** Turns that this level had in a row while a lower one waited. */
  turns: number;
}

/** The place of work among the rest. */
interface Place {
  readonly level: Level;
  /** Sources of one level take turns. */
  readonly source: string;
  readonly atMs: number;
}

/**
 * Work by key, so much of it at once: levels 5 (first) to 0. Within each its sources take turns; of one source the newest
 * goes first, and among equals the one that came first. With a reserve: of four turns that a level could have, the levels
 * below it together get one, and share it among themselves by the same rule; level 0 alone gets one of eight. So what
 * comes first is taken second at the latest, and nothing below is starved. An entry of p-queue costs a kilobyte: it is
 * given what begins at once.
 */
export class WorkQueue {
  readonly #run: ((key: string) => Promise<void>) | undefined;
  readonly #afterEach: () => void;
  readonly #queue: PQueue;
  readonly #levels = [waiting(), waiting(), waiting(), waiting(), waiting(), waiting()] as const;
  /** Where the keys in the windows wait. */
  readonly #inWindow = new Map<string, Lane>();

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
    this.#run = run;
    this.#afterEach = afterEach;
    this.#queue = new PQueue({ concurrency });
  }

  /** Puts work in its place; what waits under this key already gets the new one. */
  put(key: string, { level: place, source, atMs }: Place): void {
    const known = this.#inWindow.get(key);
    if (known !== undefined) this.#remove(key, known);
    else for (const { lanes } of this.#levels) lanes.get(source)?.beyond.delete(key);
    const level = this.#levels[place];
    const lane = level.lanes.get(source) ?? { source, level, entries: [], beyond: new Map() };
    level.lanes.set(source, lane);
    if (lane.entries.length < windowSize) this.#enter({ key, atMs }, lane);
    else lane.beyond.set(key, atMs);
    this.#startAll();
  }

  /** Keys that wait, those without work included. */
  get size(): number {
    let size = this.#inWindow.size;
    for (const { lanes } of this.#levels) for (const { beyond } of lanes.values()) size += beyond.size;
    return size;
  }

  /** The level of what comes first, 0 where nothing waits. */
  get firstLevel(): number {
    return Math.max(
      0,
      this.#levels.findLastIndex(({ lanes }) => lanes.size > 0),
    );
  }

  get running(): number {
    return this.#queue.pending;
  }

  /** Keys that wait, but for those beyond the windows. */
  keys(): Iterable<string> {
    return this.#inWindow.keys();
  }

  /**
   * Starts the first key in line that has work: `run` gives it, null for a key that has none any more. False: no key had,
   * or as many run as may. `called`: this one of `keys` is the first in line now.
   */
  startFirst(run: (key: string) => Promise<void> | null, called?: string): boolean {
    let key = this.#hasRoom() ? (called ?? this.#next()) : undefined;
    for (; key !== undefined; key = this.#next()) {
      const place = this.#inWindow.get(key);
      if (place !== undefined) this.#remove(key, place);
      const work = run(key);
      if (work === null) continue;
      this.#start(() => work);
      return true;
    }
    return false;
  }

  /** Starts nothing any more; resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#queue.pause();
    this.#inWindow.clear();
    for (const { lanes } of this.#levels) lanes.clear();
    await this.#queue.onPendingZero();
  }

  #hasRoom(): boolean {
    return !this.#queue.isPaused && this.#queue.pending < this.#queue.concurrency;
  }

  #startAll(): void {
    const run = this.#run;
    if (run === undefined) return;
    while (this.#hasRoom()) {
      const key = this.#next();
      if (key === undefined) return;
      this.#start(() => run(key));
    }
  }

  #start(work: () => Promise<void>): void {
    void this.#queue.add(work).finally(() => {
      this.#startAll();
      this.#afterEach();
    });
  }

  #enter(entry: Entry, into: Lane): void {
    this.#inWindow.set(entry.key, into);
    into.entries.splice(insertionIndex(into.entries, entry.atMs), 0, entry);
  }

  #remove(key: string, from: Lane): void {
    this.#inWindow.delete(key);
    from.entries.splice(
      from.entries.findLastIndex((entry) => entry.key === key),
      1,
    );
    this.#fill(from);
  }

  /** The oldest of those beyond the window takes the place that is free in it. */
  #fill(lane: Lane): void {
    const [first] = lane.beyond;
    if (first !== undefined) {
      const [key, atMs] = first;
      lane.beyond.delete(key);
      this.#enter({ key, atMs }, lane);
    } else if (lane.entries.length === 0) lane.level.lanes.delete(lane.source);
  }

  /** Takes out the key whose turn it is; undefined: nothing waits. */
  #next(): string | undefined {
    const level = inTurn(this.#levels.toReversed()).find(({ lanes }) => lanes.size > 0);
    const [lane] = level?.lanes.values() ?? [];
    const key = lane?.entries.at(-1)?.key;
    if (level === undefined || lane === undefined || key === undefined) return undefined;
    level.lanes.delete(lane.source);
    level.lanes.set(lane.source, lane);
    this.#remove(key, lane);
    this.#countTurn(level);
    return key;
  }

  #countTurn(served: Waiting): void {
    const place = this.#levels.indexOf(served);
    for (const above of this.#levels.slice(place + 1)) above.turns = 0;
    const lowerWaits = this.#levels.slice(0, place).some(({ lanes }) => lanes.size > 0);
    served.turns = lowerWaits ? served.turns + 1 : 0;
  }
}

function waiting(): Waiting {
  return { lanes: new Map(), turns: 0 };
}

/** Before the first entry that is as new: what came earlier goes first. */
function insertionIndex(entries: readonly Entry[], atMs: number): number {
  let from = 0;
  let to = entries.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((entries[middle]?.atMs ?? 0) < atMs) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The levels as they are to be asked for the next entry. */
function inTurn([level, ...lower]: readonly Waiting[]): readonly Waiting[] {
  if (level === undefined) return [];
  const isLowestAlone = lower.slice(0, -1).every(({ lanes }) => lanes.size === 0);
  const turns = isLowestAlone ? turnsBeforeLowest : turnsBeforeReserve;
  return level.turns >= turns ? [...inTurn(lower), level] : [level, ...inTurn(lower)];
}
