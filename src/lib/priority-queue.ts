import { createNewestFirst } from './newest-first.ts';
import type { NewestFirst, Ranked } from './newest-first.ts';

/** First things first: what a person just did, what is tried again, what start-up found, deletions. */
export const laneNames = ['live', 'retry', 'backlog', 'deletion'] as const;

export type LaneName = (typeof laneNames)[number];

/** Something that waits in a lane. */
interface Queued<T> {
  readonly key: string;
  readonly lane: LaneName;
  /** Newest first within a lane, whatever the clock; among equals, the order in which they were added. */
  readonly at: number;
  readonly value: T;
}

/** What waits, and whose turn it is. */
export interface Lanes<T> {
  /** Puts `value` in a lane. What waited under this key before is replaced, wherever it was. O(log n). */
  readonly add: (key: string, place: Pick<Queued<T>, 'lane' | 'at'>, value: T) => void;
  /** False: nothing waited under this key. O(log n). */
  readonly remove: (key: string) => boolean;
  /**
   * Takes out whose turn it is, of those that `fits` lets pass; null: none. Costs O(log n), and as much again for
   * each one that is passed over; these keep their places.
   */
  readonly take: (fits?: (entry: Queued<T>) => boolean) => Queued<T> | null;
  /** Everything that waits, in no order to rely on. */
  readonly entries: () => Iterable<Queued<T>>;
  readonly size: () => number;
}

/** While a lower lane waits, every fourth turn is its own. */
const turnsBeforeReserve = 3;

interface Entry<T> extends Queued<T>, Ranked {}

interface Lane<T> {
  readonly heap: NewestFirst<Entry<T>>;
  /** Turns that this lane had in a row while a lower one waited. */
  turns: number;
}

/**
 * A work list in four lanes, a higher one before a lower one, with a reserve: of four turns that a lane could have, the
 * lanes below it together get one, and share it among themselves by the same rule. So a live entry that comes while none
 * waits goes out with the second take at the latest, and nothing below is starved.
 */
export function createLanes<T>(): Lanes<T> {
  const byKey = new Map<string, Entry<T>>();
  const lanes = laneNames.map((): Lane<T> => ({ heap: createNewestFirst(), turns: 0 }));
  let added = 0;

  function laneOf(name: LaneName): Lane<T> {
    const lane = lanes[laneNames.indexOf(name)];
    if (lane === undefined) throw new RangeError(`no lane is called ${name}`);
    return lane;
  }

  function remove(key: string): boolean {
    const entry = byKey.get(key);
    if (entry === undefined) return false;
    byKey.delete(key);
    laneOf(entry.lane).heap.remove(entry);
    return true;
  }

  return {
    add: (key, { lane, at }, value) => {
      remove(key);
      const entry: Entry<T> = { key, lane, at, value, order: (added += 1), place: -1 };
      byKey.set(key, entry);
      laneOf(lane).heap.push(entry);
    },
    remove,
    take: (fits = () => true) => {
      for (const lane of inTurn(lanes)) {
        const entry = takeFrom(lane.heap, fits);
        if (entry === null) continue;
        byKey.delete(entry.key);
        countTurn(lanes, lane);
        return entry;
      }
      return null;
    },
    entries: () => byKey.values(),
    size: () => byKey.size,
  };
}

/** The lanes as they are to be asked for the next entry. */
function inTurn<T>([lane, ...lower]: readonly Lane<T>[]): readonly Lane<T>[] {
  if (lane === undefined) return [];
  return lane.turns >= turnsBeforeReserve ? [...inTurn(lower), lane] : [lane, ...inTurn(lower)];
}

function takeFrom<T>(heap: NewestFirst<Entry<T>>, fits: (entry: Queued<T>) => boolean): Entry<T> | null {
  const passedOver: Entry<T>[] = [];
  try {
    for (let entry = heap.pop(); entry !== undefined; entry = heap.pop()) {
      passedOver.push(entry);
      if (fits(entry)) return passedOver.pop() ?? null;
    }
    return null;
  } finally {
    for (const entry of passedOver) heap.push(entry);
  }
}

function countTurn<T>(lanes: readonly Lane<T>[], served: Lane<T>): void {
  const level = lanes.indexOf(served);
  for (const above of lanes.slice(0, level)) above.turns = 0;
  const lowerWaits = lanes.slice(level + 1).some(({ heap }) => heap.size() > 0);
  served.turns = lowerWaits ? served.turns + 1 : 0;
}
