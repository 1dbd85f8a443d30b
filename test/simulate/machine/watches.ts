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

  constructor(deliver: (call: () => void) => void) {
    this.#deliver = deliver;
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
      this.#deliver(() => {
        if (this.#watches.has(watch)) watch.listener(kind, name);
      });
    }
  }

  /** As the death of its process does. */
  clear(): void {
    this.#watches.clear();
  }
}
