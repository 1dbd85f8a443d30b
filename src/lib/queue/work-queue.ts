import PQueue from 'p-queue';

import { OrderedKeys } from './ordered-keys.ts';

/** Levels of work, the lower the later. */
type Level = 0 | 1 | 2 | 3 | 4 | 5;

/** While a lower level waits, every fourth turn is taken from it. */
const turnsBeforeReserve = 3;
/** While the lowest waits, every eighth turn of those above. */
const turnsBeforeLowest = 7;

/** What waits of one source. */
interface Lane {
  readonly source: string;
  readonly level: Waiting;
  /** The newest first. */
  readonly keys: OrderedKeys<string>;
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
  /** Where each key waits. */
  readonly #waiting = new Map<string, Lane>();

  constructor(options: {
    readonly concurrency: number;
    /** Has to find out whether the key still has work. Must not reject. Without it, `startFirst` alone starts work. */
    readonly run?: (key: string) => Promise<void>;
    /** Called when one has ended and its place is free. */
    readonly afterEach: () => void;
  }) {
    this.#run = options.run;
    this.#afterEach = options.afterEach;
    this.#queue = new PQueue({ concurrency: options.concurrency });
  }

  /** Puts work in its place; what waits under this key already gets the new one. */
  put(key: string, { level: place, source, atMs }: Place): void {
    this.#remove(key);
    const level = this.#levels[place];
    const lane = level.lanes.get(source) ?? { source, level, keys: new OrderedKeys() };
    level.lanes.set(source, lane);
    lane.keys.set(key, -atMs);
    this.#waiting.set(key, lane);
    this.#startAll();
  }

  /** Keys that wait, those without work included. */
  get size(): number {
    return this.#waiting.size;
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

  keys(): Iterable<string> {
    return this.#waiting.keys();
  }

  /**
   * Starts the first key in line that has work: `run` gives it, null for a key that has none any more. False: no key had,
   * or as many run as may. `called`: this one of `keys` is the first in line now.
   */
  startFirst(run: (key: string) => Promise<void> | null, called?: string): boolean {
    let key = this.#hasRoom() ? (called ?? this.#next()) : undefined;
    for (; key !== undefined; key = this.#next()) {
      this.#remove(key);
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
    this.#waiting.clear();
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

  #remove(key: string): void {
    const lane = this.#waiting.get(key);
    if (lane === undefined) return;
    this.#waiting.delete(key);
    lane.keys.delete(key);
    if (lane.keys.size === 0) lane.level.lanes.delete(lane.source);
  }

  /** Takes out the key whose turn it is; undefined: nothing waits. */
  #next(): string | undefined {
    const level = inTurn(this.#levels.toReversed()).find(({ lanes }) => lanes.size > 0);
    const [lane] = level?.lanes.values() ?? [];
    const key = lane?.keys.first?.key;
    if (level === undefined || lane === undefined || key === undefined) return undefined;
    level.lanes.delete(lane.source);
    level.lanes.set(lane.source, lane);
    this.#remove(key);
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

/** The levels as they are to be asked for the next entry. */
function inTurn([level, ...lower]: readonly Waiting[]): readonly Waiting[] {
  if (level === undefined) return [];
  const isLowestAlone = lower.slice(0, -1).every(({ lanes }) => lanes.size === 0);
  const turns = isLowestAlone ? turnsBeforeLowest : turnsBeforeReserve;
  return level.turns >= turns ? [...inTurn(lower), level] : [level, ...inTurn(lower)];
}
