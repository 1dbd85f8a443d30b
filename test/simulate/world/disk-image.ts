import type { Inode } from '../disk/inode.ts';
import type { MemoryDisk } from '../disk/memory-disk.ts';

/** A file as it stands at one moment, for the judge. */
export interface ImageFile {
  /** From the simulated disk's root: `inbox/a.pdf`. */
  readonly path: string;
  /** The same file, whatever its names and numbers are. */
  readonly identity: object;
  /** The directory that names it: one directory shown at two places is the same. */
  readonly directory: object;
  readonly content: Buffer;
  /** No process can see it now: below a directory without rights, or covered by a mount. */
  readonly isHidden: boolean;
  /** The directory that names it cannot be listed now, or is covered. */
  readonly isUnlisted: boolean;
}

/** Everything on the disk of the folders. `isBarred`: the process cannot look at an absolute path. */
export function imageOf(disk: MemoryDisk, isBarred: (path: string) => boolean): readonly ImageFile[] {
  const top = `${disk.prefix}/disk`;
  const files: ImageFile[] = [];
  const visit = (directory: Inode, at: string, isHidden: boolean): void => {
    const isShut = isHidden || (directory.mode & 0o500) !== 0o500;
    for (const { name, inode } of directory.entries.values()) {
      const path = at === '' ? name : `${at}/${name}`;
      const isShutHere = isShut || isBarred(`${top}/${path}`);
      if (inode.kind === 'directory') visit(inode, path, isShutHere || inode.mounted !== null);
      if (inode.mounted !== null) visit(inode.mounted, path, isShutHere);
      if (inode.kind === 'file')
        files.push({
          path,
          identity: inode,
          directory,
          content: inode.content,
          isHidden: isShutHere || (inode.mode & 0o400) === 0,
          isUnlisted: isShut,
        });
    }
  };
  visit(disk.find(top), '', false);
  return files;
}
