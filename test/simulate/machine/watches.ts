import { nameBytes } from '../disk/name-bytes.ts';
import type { DiskEvent } from '../disk/memory-disk.ts';
import type { Inode } from '../disk/inode.ts';

interface Watch {
  readonly directory: Inode;
  readonly listener: (kind: string, name: string) => void;
}

/** What the kernel watches for a process. */
export class Watches {
  readonly #watches = new Set<Watch>();
  /** Delivers a call to the process: late, twice or never. */
  readonly #deliver: (call: () => void) => void;
  readonly #longestQueue: number;
  /** What piles up while the process is held up; null: it is not. */
  #queue: (() => void)[] | null = null;

  constructor(deliver: (call: () => void) => void, longestQueue: number) {
    this.#deliver = deliver;
    this.#longestQueue = longestQueue;
  }

  stall(): void {
    this.#queue ??= [];
  }

  /** What the queue could hold comes at one go; what it could not is lost. */
  resume(): void {
    const queue = this.#queue ?? [];
    this.#queue = null;
    if (queue.length > 0) this.#deliver(() => queue.forEach((call) => call()));
  }

  add(directory: Inode, listener: Watch['listener']): { readonly close: () => void } {
    const watch = { directory, listener };
    this.#watches.add(watch);
    return { close: () => void this.#watches.delete(watch) };
  }

  /** A file system without events tells nobody. */
  tell({ directory, kind, name }: DiskEvent): void {
    for (const watch of this.#watches) {
      if (watch.directory !== directory) continue;
      const call = (): void => {
        if (this.#watches.has(watch)) watch.listener(kind, nameBytes(name).toString());
      };
      if (this.#queue === null) this.#deliver(call);
      else if (this.#queue.length < this.#longestQueue) this.#queue.push(call);
    }
  }

  /** As the death of its process does. */
  clear(): void {
    this.#watches.clear();
    this.#queue = null;
  }
}
