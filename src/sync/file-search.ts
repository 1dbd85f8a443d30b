import type { Clock } from '../lib/time/clock.ts';
import type { FolderPort, FoundFile, UnreadableDirectory } from '../model/ports/folder-port.ts';
import { sameFile } from '../model/document.ts';
import type { FileIdentity } from '../model/document.ts';

type InFolder<T> = T & { readonly folder: string };

/** What one walk over all folders found. */
export interface SearchResult {
  readonly files: readonly InFolder<FoundFile>[];
  readonly unreadable: readonly InFolder<UnreadableDirectory>[];
}

interface Walk extends SearchResult {
  readonly beganAt: number;
  readonly wanted: ReadonlySet<number>;
}

/** A file may come from outside at any time: what was found longer ago is looked for again. */
const freshMs = 60_000;

/** Looks for files in all folders by their identity: one walk at a time, for all that are missing together. */
export class FileSearch {
  readonly #clock: Clock;
  readonly #folders: readonly Pick<FolderPort, 'name' | 'find'>[];
  readonly #missing: () => Iterable<FileIdentity>;
  #last: Walk | null = null;
  #running: Promise<void> | null = null;

  constructor(
    clock: Clock,
    folders: readonly Pick<FolderPort, 'name' | 'find'>[],
    missing: () => Iterable<FileIdentity>,
  ) {
    this.#clock = clock;
    this.#folders = folders;
    this.#missing = missing;
  }

  /** Where a file stands that went after `since` (monotonic ms), by a walk that began later. */
  async find(file: FileIdentity, since: number): Promise<SearchResult> {
    for (;;) {
      const walk = this.#last;
      const oldest = Math.max(since, this.#clock.monotonic() - freshMs);
      if (walk !== null && walk.beganAt >= oldest && walk.wanted.has(file.ino))
        return {
          files: walk.files.filter(({ stat }) => sameFile(stat, file)),
          unreadable: walk.unreadable,
        };
      this.#running ??= this.#walk(file).finally(() => (this.#running = null));
      await this.#running;
    }
  }

  async #walk(file: FileIdentity): Promise<void> {
    const beganAt = this.#clock.monotonic();
    const wanted = [file, ...this.#missing()];
    const found = await Promise.all(
      this.#folders.map(async ({ name, find }) => ({ folder: name, found: await find(wanted) })),
    );
    this.#last = {
      beganAt,
      wanted: new Set(wanted.map(({ ino }) => ino)),
      files: found.flatMap(({ folder, found }) => (found?.files ?? []).map((one) => ({ ...one, folder }))),
      unreadable: found.flatMap(({ folder, found }) =>
        (found?.unreadable ?? []).map((one) => ({ ...one, folder })),
      ),
    };
  }
}
