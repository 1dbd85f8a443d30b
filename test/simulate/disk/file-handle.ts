import type { DiskManners } from './memory-fs.ts';
import type { OpenFile, OpenFiles } from './open-files.ts';

/** A `FileHandle` of `node:fs/promises`, as far as ingestd uses one. */
export function openHandle(files: OpenFiles, { fd }: OpenFile, manners: DiskManners) {
  let isOpen = true;

  async function step<T>(syscall: string, act: () => T): Promise<T> {
    const path = files.path(fd);
    await manners.wait(syscall, path);
    manners.onCall(syscall, path);
    return act();
  }

  const write = (
    bytes: Uint8Array,
    offset = 0,
    length = bytes.length - offset,
    position: number | null = null,
  ) =>
    step('write', () => {
      const taken = manners.takes(files.path(fd), length);
      return { bytesWritten: files.write(fd, bytes.subarray(offset, offset + taken), position) };
    });

  return {
    fd,
    stat: () => step('fstat', () => files.stats(fd)),
    read: (into: Uint8Array, offset = 0, length = into.length - offset, position: number | null = null) =>
      step('read', () => ({ bytesRead: files.read(fd, into, { offset, length, position }), buffer: into })),
    write,
    writeFile: async (data: string | Uint8Array) => {
      const bytes = Buffer.from(data as string);
      let done = 0;
      do done += (await write(bytes, done)).bytesWritten;
      while (done < bytes.length);
    },
    readFile: (encoding?: BufferEncoding) =>
      step('read', () => {
        const { content } = files.get(fd, 'read').inode;
        return encoding === undefined ? Buffer.from(content) : content.toString(encoding);
      }),
    sync: () => step('fsync', () => files.sync(fd)),
    datasync: () => step('fdatasync', () => files.sync(fd)),
    truncate: (size = 0) => step('ftruncate', () => files.truncate(fd, size)),
    chmod: (mode: number) =>
      step('fchmod', () => {
        const { inode } = files.get(fd, 'fchmod');
        inode.mode = mode;
        inode.touch('status');
      }),
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      files.close(fd);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
