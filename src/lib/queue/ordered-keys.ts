import TinyQueue from 'tinyqueue';

interface Entry<K> {
  readonly key: K;
  readonly at: number;
  /** Grows from one to the next. */
  readonly order: number;
}

/** So many outdated entries are kept before they are removed from the heap. */
const outdatedEntries = 1_000;

/** Keys, each at one number: the least comes first, among equals the one that was set first. What changes takes O(log n). */
export class OrderedKeys<K> {
  /** What is in the heap and not here is outdated. */
  readonly #entries = new Map<K, Entry<K>>();
  #heap = heapOf<K>([]);
  #lastOrder = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** Undefined: there is none. */
  get first(): Entry<K> | undefined {
    let first = this.#heap.peek();
    while (first !== undefined && this.#entries.get(first.key) !== first) {
      this.#heap.pop();
      first = this.#heap.peek();
    }
    return first;
  }

  /** Replaces the number that a key had. False: it had this one. */
  set(key: K, at: number): boolean {
    if (this.#entries.get(key)?.at === at) return false;
    const entry = { key, at, order: (this.#lastOrder += 1) };
    this.#entries.set(key, entry);
    if (this.#heap.length > 2 * this.size + outdatedEntries) this.#heap = heapOf([...this.#entries.values()]);
    else this.#heap.push(entry);
    return true;
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#heap = heapOf([]);
  }
}

function heapOf<K>(entries: Entry<K>[]): TinyQueue<Entry<K>> {
  return new TinyQueue(entries, (a, b) => a.at - b.at || a.order - b.order);
}
