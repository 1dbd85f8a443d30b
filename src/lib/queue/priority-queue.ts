import type { Queue } from 'p-queue';
import TinyQueue from 'tinyqueue';

import { TransientMap } from '../collections/transient-map.ts';

export type RunFunction = () => Promise<unknown>;

interface Options {
  readonly id?: string;
  readonly priority?: number;
}

interface Entry {
  readonly id: string | undefined;
  readonly priority: number;
  readonly order: number;
  readonly run: RunFunction;
}

interface Level {
  heap: TinyQueue<Entry>;
  /** Entries that were not moved to another priority meanwhile. */
  size: number;
  /** Turns that this level had in a row while a lower one waited. */
  turns: number;
}

/** Room for times in milliseconds between one level and the next. */
const levelWidth = 1e14;
const levelCount = 4;
/** While a lower level waits, every fourth entry is taken from it. */
const turnsBeforeReserve = 3;

/** The number by which p-queue knows a place: a higher level goes before a lower one, and the newest first within one. */
export function priorityOf(level: number, atMs: number): number {
  return level * levelWidth + Math.min(Math.max(0, atMs), levelWidth - 1);
}

/**
 * The queue inside a p-queue: levels 3 (first) to 0, newest first within each and among equals in the order of their
 * coming, with a reserve: of four turns that a level could have, the levels below it together get one, and share it
 * among themselves by the same rule. So what comes first is taken second at the latest, and nothing
 * below is starved. Each call is O(log n).
 */
export class PriorityQueue implements Queue<RunFunction, Options> {
  readonly #levels = Array.from({ length: levelCount }, (): Level => ({
    heap: heapOf([]),
    size: 0,
    turns: 0,
  }));
  /** By id, what has not been taken out. */
  readonly #byId = new TransientMap<string, Entry>();
  #added = 0;

  get size(): number {
    return this.#levels.reduce((total, { size }) => total + size, 0);
  }

  enqueue(run: RunFunction, { id, priority = 0 }: Options = {}): void {
    const entry = { id, priority, order: (this.#added += 1), run };
    if (id !== undefined) this.#byId.set(id, entry);
    const level = this.#levelOf(entry);
    level.heap.push(entry);
    level.size += 1;
  }

  dequeue(): RunFunction | undefined {
    for (const level of inTurn(this.#levels.toReversed())) {
      const entry = this.#pop(level);
      if (entry === null) continue;
      this.#countTurn(level);
      return entry.run;
    }
    return undefined;
  }

  setPriority(id: string, priority: number): void {
    const known = this.#byId.get(id);
    if (known === undefined || known.priority === priority) return;
    const level = this.#levelOf(known);
    level.size -= 1;
    this.#byId.delete(id);
    this.enqueue(known.run, { id, priority });
    // Entries that were moved away are skipped when they reach the head; they must not pile up.
    if (level.heap.length > 2 * level.size + 64) {
      level.heap = heapOf(level.heap.data.filter((entry) => this.#isInside(entry)));
    }
  }

  filter({ priority }: Options): RunFunction[] {
    const entries = this.#levels.flatMap(({ heap }) => heap.data).filter((entry) => this.#isInside(entry));
    return entries.filter((entry) => entry.priority === priority).map(({ run }) => run);
  }

  #levelOf({ priority }: Entry): Level {
    const level = this.#levels[Math.floor(priority / levelWidth)];
    if (level === undefined) throw new RangeError(`no level has the priority ${priority}`);
    return level;
  }

  #pop(level: Level): Entry | null {
    for (let entry = level.heap.pop(); entry !== undefined; entry = level.heap.pop()) {
      if (!this.#isInside(entry)) continue;
      if (entry.id !== undefined) this.#byId.delete(entry.id);
      level.size -= 1;
      return entry;
    }
    return null;
  }

  #isInside(entry: Entry): boolean {
    return entry.id === undefined || this.#byId.get(entry.id) === entry;
  }

  #countTurn(served: Level): void {
    const place = this.#levels.indexOf(served);
    for (const above of this.#levels.slice(place + 1)) above.turns = 0;
    const lowerWaits = this.#levels.slice(0, place).some(({ size }) => size > 0);
    served.turns = lowerWaits ? served.turns + 1 : 0;
  }
}

/** The levels as they are to be asked for the next entry. */
function inTurn([level, ...lower]: readonly Level[]): readonly Level[] {
  if (level === undefined) return [];
  return level.turns >= turnsBeforeReserve ? [...inTurn(lower), level] : [level, ...inTurn(lower)];
}

function heapOf(entries: Entry[]): TinyQueue<Entry> {
  return new TinyQueue(entries, (a, b) => b.priority - a.priority || a.order - b.order);
}
