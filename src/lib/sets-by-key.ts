/** Values by keys that several of them may share. Most keys belong to one value: these cost no set. */
export class SetsByKey<Key, Value> {
  readonly #found = new Map<Key, Value | Set<Value>>();

  /** How many keys there are. */
  get size(): number {
    return this.#found.size;
  }

  keys(): Iterable<Key> {
    return this.#found.keys();
  }

  has(key: Key): boolean {
    return this.#found.has(key);
  }

  /** In the order of their coming. It may be live: do not change what is here while going over it. */
  of(key: Key): ReadonlySet<Value> {
    const found = this.#found.get(key);
    if (found instanceof Set) return found;
    return new Set(found === undefined ? [] : [found]);
  }

  add(key: Key, value: Value): void {
    const found = this.#found.get(key);
    if (found instanceof Set) found.add(value);
    else if (found === undefined || found === value) this.#found.set(key, value);
    else this.#found.set(key, new Set([found, value]));
  }

  delete(key: Key, value: Value): void {
    const found = this.#found.get(key);
    const isLast = found instanceof Set ? found.delete(value) && found.size === 0 : found === value;
    if (isLast) this.#found.delete(key);
  }
}
