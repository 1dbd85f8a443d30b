/** So many entries go beyond those that are left before the map inside is replaced. */
const spareEntries = 32;
/** A larger map would take too long to be replaced at one go. */
const mostCopied = 10_000;

/**
 * A map for entries that come and go quickly. V8 chains the tables that a map used up, and one that has grown old keeps
 * the next and all that was in it from being collected while it is young: with a plain map, nearly everything that ever
 * was an entry waits for a collection of the whole heap. Here the map inside is replaced before that begins, at a cost
 * of one copied entry for each that goes. Do not change it while going over it.
 */
export class ShortLivedMap<K, V> implements Iterable<readonly [K, V]> {
  #entries = new Map<K, V>();
  #gone = 0;

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  set(key: K, value: V): void {
    this.#entries.set(key, value);
  }

  /** False: it was not there. */
  delete(key: K): boolean {
    if (!this.#entries.delete(key)) return false;
    this.#gone += 1;
    const { size } = this.#entries;
    if (this.#gone > size + spareEntries && size <= mostCopied) {
      this.#entries = new Map(this.#entries);
      this.#gone = 0;
    }
    return true;
  }

  clear(): void {
    this.#entries = new Map();
    this.#gone = 0;
  }

  keys(): IterableIterator<K> {
    return this.#entries.keys();
  }

  values(): IterableIterator<V> {
    return this.#entries.values();
  }

  [Symbol.iterator](): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }
}

/**
 * A set for values that come and go quickly, for the reason that `ShortLivedMap` gives. Do not change it while going
 * over it.
 */
export class ShortLivedSet<T> implements Iterable<T> {
  readonly #values = new ShortLivedMap<T, null>();

  get size(): number {
    return this.#values.size;
  }

  has(value: T): boolean {
    return this.#values.has(value);
  }

  add(value: T): void {
    this.#values.set(value, null);
  }

  /** False: it was not there. */
  delete(value: T): boolean {
    return this.#values.delete(value);
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#values.keys();
  }
}
