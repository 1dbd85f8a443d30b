import { TransientMap } from './transient-map.ts';

/** A set for values that come and go quickly, for the reason that `TransientMap` gives. Do not change it while going over it. */
export class TransientSet<T> implements Iterable<T> {
  readonly #values = new TransientMap<T, null>();

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
