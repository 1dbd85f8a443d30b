import type { Inode } from '../disk/inode.ts';
import type { MemoryDisk } from '../disk/memory-disk.ts';
import { isUtf8 } from '../disk/name-bytes.ts';
import type { SeenFile } from '../judge/reading.ts';

/**
 * Everything on the disk of the folders. `isBarred`: the process cannot look at an absolute path. `away`: disks that are
 * not mounted now, and where they are otherwise.
 */
export function imageOf(
  disk: MemoryDisk,
  isBarred: (path: string) => boolean,
  away: readonly (readonly [path: string, root: Inode])[],
): readonly SeenFile[] {
  const top = `${disk.prefix}/disk`;
  const files: SeenFile[] = [];
  const visit = (directory: Inode, at: string, isHidden: boolean, isUntold = false): void => {
    const isShut = isHidden || (directory.mode & 0o500) !== 0o500;
    // What is in there nobody can tell, be it nothing: it keeps its document back.
    if (isShut && directory.entries.size === 0 && at.endsWith('.attachments'))
      files.push({ ...unlisted(directory), path: `${at}/.unlisted`, isUntold });
    for (const { name, inode } of directory.entries.values()) {
      const path = at === '' ? name : `${at}/${name}`;
      // What has no name that can be told is not sent, and stands all the same.
      const isBarredHere = isBarred(`${top}/${path}`);
      const isShutHere = isShut || !isUtf8(name) || isBarredHere;
      if (inode.mounted !== null) {
        visit(inode.mounted, path, isShutHere);
        visit(inode, outOfReach(path), true);
      } else if (inode.kind === 'directory') visit(inode, path, isShutHere, isBarredHere);
      if (inode.kind === 'file' || inode.kind === 'link')
        files.push({
          path,
          identity: inode,
          number: inode.ino,
          directory,
          device: inode.system,
          content: inode.content,
          text: inode.text(),
          changedAt: inode.mtimeMs,
          isHidden: isShutHere || (inode.mode & 0o400) === 0,
          isUnlisted: isShut,
          isUntold,
          isBarred: isBarredHere,
          isLink: inode.kind === 'link',
        });
    }
  };
  visit(disk.find(top), '', false);
  for (const [path, root] of away) visit(root, outOfReach(path), true);
  return files;
}

/** Stands for what could be in a directory that cannot be listed. */
function unlisted(directory: Inode): Omit<SeenFile, 'path'> {
  const { system: device } = directory;
  const content = Buffer.alloc(0);
  return {
    identity: directory,
    number: directory.ino,
    directory,
    device,
    content,
    text: '',
    isHidden: true,
    isUnlisted: true,
  };
}

/** What a mount covers, or is on a disk that is away, stands in its folder, and says nothing of what is seen there. */
function outOfReach(path: string): string {
  const [folder = '', ...names] = path.split('/');
  return [folder, 'out of reach', ...names].join('/');
}
