import { constants } from 'node:fs';

import { fileError } from './file-error.ts';
import type { FileStats } from './file-stats.ts';
import type { Entry, Inode } from './inode.ts';
import type { MemoryDisk } from './memory-disk.ts';

/** An open file or directory. */
export interface OpenFile {
  readonly fd: number;
  readonly inode: Inode;
  readonly entry: Entry | null;
  /** The path by which it was opened. */
  readonly used: string;
  position: number;
  readonly appends: boolean;
}

/** Descriptors of real files are far below. */
const firstDescriptor = 1_000_000;

const flagsOf: Readonly<Record<string, number>> = {
  r: constants.O_RDONLY,
  'r+': constants.O_RDWR,
  w: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
  a: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
};

/** The descriptors of a process. */
export class OpenFiles {
  readonly #disk: MemoryDisk;
  readonly #open = new Map<number, OpenFile>();
  #last = firstDescriptor;

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
  }

  holds(fd: number): boolean {
    return fd > firstDescriptor;
  }

  open(path: string, flags: number | string = 'r', mode = 0o666): OpenFile {
    const bits = typeof flags === 'number' ? flags : (flagsOf[flags] ?? 0);
    const has = (flag: number) => (bits & flag) === flag;
    const follow = !has(constants.O_NOFOLLOW);
    let inode = this.#disk.peek(path, follow);
    if (inode === null && has(constants.O_CREAT))
      inode = this.#disk.make(path, 'file', { mode: mode & ~process.umask() }).inode;
    else if (inode !== null && has(constants.O_EXCL | constants.O_CREAT))
      throw fileError('EEXIST', 'open', path);
    inode ??= this.#disk.find(path, { follow, syscall: 'open' });
    if (inode.kind === 'link') throw fileError('ELOOP', 'open', path);
    if (inode.kind !== 'directory' && has(constants.O_DIRECTORY)) throw fileError('ENOTDIR', 'open', path);
    const writes = (bits & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
    if (inode.kind === 'directory' && writes) throw fileError('EISDIR', 'open', path);
    if ((inode.mode & (writes ? 0o200 : 0o400)) === 0) throw fileError('EACCES', 'open', path);
    const real = follow ? this.#disk.realPath(path) : path;
    const entry = real === this.#disk.prefix ? null : this.#disk.entryAt(real, 'open');
    if (has(constants.O_TRUNC) && inode.content.length > 0) this.#disk.replace(inode, Buffer.alloc(0), entry);
    this.#last += 1;
    const file = { fd: this.#last, inode, entry, used: path, position: 0, appends: has(constants.O_APPEND) };
    inode.opened += 1;
    this.#open.set(file.fd, file);
    return file;
  }

  get(fd: number, syscall: string): OpenFile {
    const file = this.#open.get(fd);
    if (file === undefined) throw fileError('EBADF', syscall);
    return file;
  }

  close(fd: number): void {
    const { inode } = this.get(fd, 'close');
    this.#open.delete(fd);
    inode.opened -= 1;
    if (inode.links === 0 && inode.opened === 0) inode.system.free(inode.ino);
  }

  /** As the death of its process does. */
  closeAll(): void {
    for (const fd of Array.from(this.#open.keys())) this.close(fd);
  }

  stats(fd: number): FileStats {
    return this.#disk.stats(this.get(fd, 'fstat').inode, { isOpen: true });
  }

  path(fd: number): string {
    const { entry, inode, used } = this.get(fd, 'readlink');
    if (entry === null) return this.#disk.prefix;
    const isMounted = entry.inode !== inode;
    return this.#disk.seenBy(used, isMounted ? this.#disk.directoryPath(inode) : this.#disk.pathOf(entry));
  }

  /** Gives how many bytes were read. */
  read(
    fd: number,
    into: Uint8Array,
    at: { offset: number; length: number; position: number | null },
  ): number {
    const file = this.get(fd, 'read');
    if (file.inode.kind === 'directory') throw fileError('EISDIR', 'read');
    const from = at.position ?? file.position;
    const bytes = file.inode.content.subarray(from, from + at.length);
    into.set(bytes, at.offset);
    if (at.position === null) file.position += bytes.length;
    return bytes.length;
  }

  write(fd: number, bytes: Uint8Array, position: number | null): number {
    const file = this.get(fd, 'write');
    const at = file.appends ? file.inode.content.length : (position ?? file.position);
    this.#disk.write(file.inode, bytes, at, file.entry);
    if (position === null) file.position = at + bytes.length;
    return bytes.length;
  }

  truncate(fd: number, size: number): void {
    const { inode, entry } = this.get(fd, 'ftruncate');
    const content = Buffer.alloc(size);
    inode.content.copy(content);
    this.#disk.replace(inode, content, entry);
  }

  /** What it holds now survives a power loss: of a file its bytes, of a directory its names. */
  sync(fd: number): void {
    const { inode } = this.get(fd, 'fsync');
    inode.durable = { content: inode.content, entries: new Map(inode.entries) };
  }
}
