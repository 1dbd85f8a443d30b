import { joinPath } from '../../model/document.ts';

/** Which directories of one folder are known, so that a listing shows which of them are gone. */
export class DirectoryTree {
  readonly #children = new Map<string, Set<string>>([['', new Set()]]);

  /** Makes a directory known, and those above it. */
  add(directory: string): void {
    if (this.#children.has(directory)) return;
    this.#children.set(directory, new Set());
    const slash = directory.lastIndexOf('/');
    const parent = slash === -1 ? '' : directory.slice(0, slash);
    this.add(parent);
    this.#children.get(parent)?.add(directory.slice(slash + 1));
  }

  has(directory: string): boolean {
    return this.#children.has(directory);
  }

  /** The known directories inside one whose names are not listed any more, with all below each. They are forgotten. */
  vanished(directory: string, listed: readonly string[]): readonly string[] {
    this.add(directory);
    const known = this.#children.get(directory) ?? new Set();
    const present = new Set(listed);
    const gone: string[] = [];
    for (const name of known) {
      if (present.has(name)) continue;
      known.delete(name);
      this.#forget(joinPath(directory, name), gone);
    }
    for (const name of listed) this.add(joinPath(directory, name));
    return gone;
  }

  #forget(directory: string, into: string[]): void {
    into.push(directory);
    for (const name of this.#children.get(directory) ?? []) this.#forget(joinPath(directory, name), into);
    this.#children.delete(directory);
  }
}
