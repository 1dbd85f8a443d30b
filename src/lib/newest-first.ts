/** What a heap holds. Both fields are the heap's own while it is inside. */
export interface Ranked {
  /** Larger is newer. */
  readonly at: number;
  /** Among equals, smaller goes first. */
  readonly order: number;
  /** Its place in the heap; -1: outside. */
  place: number;
}

/** A priority queue that gives the newest first, and lets anything inside be taken out again. */
export interface NewestFirst<T extends Ranked> {
  readonly push: (item: T) => void;
  readonly pop: () => T | undefined;
  readonly remove: (item: T) => void;
  readonly size: () => number;
}

/** A binary heap whose items know their places: each call is O(log n), and nothing dead stays inside. */
export function createNewestFirst<T extends Ranked>(): NewestFirst<T> {
  const heap: T[] = [];

  function put(item: T, place: number): void {
    heap[place] = item;
    item.place = place;
  }

  function rise(item: T, from: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !goesBefore(item, parent)) break;
      put(parent, place);
      place = above;
    }
    put(item, place);
  }

  function sink(item: T, from: number): void {
    let place = from;
    for (;;) {
      const left = heap[2 * place + 1];
      const right = heap[2 * place + 2];
      const first = left !== undefined && right !== undefined && goesBefore(right, left) ? right : left;
      if (first === undefined || !goesBefore(first, item)) break;
      const below = first.place;
      put(first, place);
      place = below;
    }
    put(item, place);
  }

  function remove(item: T): void {
    const { place } = item;
    if (heap[place] !== item) return;
    item.place = -1;
    const last = heap.pop();
    if (last === undefined || last === item) return;
    sink(last, place);
    rise(last, last.place);
  }

  return {
    push: (item) => rise(item, heap.length),
    pop: () => {
      const first = heap[0];
      if (first !== undefined) remove(first);
      return first;
    },
    remove,
    size: () => heap.length,
  };
}

function goesBefore(a: Ranked, b: Ranked): boolean {
  return a.at > b.at || (a.at === b.at && a.order < b.order);
}
