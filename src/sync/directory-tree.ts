import { joinPath } from '../model/document.ts';

/** Which directories of one folder are known, so that a listing shows which of them are gone. */
export interface DirectoryTree {
  /** Makes a directory known, and those above it. */
  readonly add: (directory: string) => void;
  /** The known directories inside one whose names are not listed any more, with all below each. They are forgotten. */
  readonly vanished: (directory: string, listed: readonly string[]) => readonly string[];
}

export function createDirectoryTree(): DirectoryTree {
  const children = new Map<string, Set<string>>([['', new Set()]]);

  function add(directory: string): void {
    if (children.has(directory)) return;
    children.set(directory, new Set());
    const slash = directory.lastIndexOf('/');
    const parent = slash === -1 ? '' : directory.slice(0, slash);
    add(parent);
    children.get(parent)?.add(directory.slice(slash + 1));
  }

  function forget(directory: string, into: string[]): void {
    into.push(directory);
    for (const name of children.get(directory) ?? []) forget(joinPath(directory, name), into);
    children.delete(directory);
  }

  return {
    add,
    vanished: (directory, listed) => {
      add(directory);
      const known = children.get(directory) ?? new Set();
      const present = new Set(listed);
      const gone: string[] = [];
      for (const name of known) {
        if (present.has(name)) continue;
        known.delete(name);
        forget(joinPath(directory, name), gone);
      }
      for (const name of listed) add(joinPath(directory, name));
      return gone;
    },
  };
}
