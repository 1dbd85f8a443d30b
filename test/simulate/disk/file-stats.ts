import type { Attributes, Inode, Kind } from './inode.ts';

const kindBits: Readonly<Record<Kind, number>> = {
  file: 0o100000,
  directory: 0o040000,
  link: 0o120000,
  fifo: 0o010000,
};

/** What `stat` says, as far as anybody asks. */
export class FileStats {
  readonly dev: number;
  readonly ino: number;
  readonly mode: number;
  readonly nlink: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly birthtimeMs: number;
  readonly #kind: Kind;

  constructor(inode: Inode, { size, mtimeMs, ctimeMs }: Attributes) {
    this.#kind = inode.kind;
    this.dev = inode.system.habits.dev;
    this.ino = inode.ino;
    this.mode = kindBits[inode.kind] | inode.mode;
    this.nlink = inode.links;
    this.uid = inode.uid;
    this.gid = inode.uid;
    this.size = size;
    this.mtimeMs = mtimeMs;
    this.ctimeMs = ctimeMs;
    this.birthtimeMs = inode.birthtimeMs;
  }

  isFile(): boolean {
    return this.#kind === 'file';
  }
  isDirectory(): boolean {
    return this.#kind === 'directory';
  }
  isSymbolicLink(): boolean {
    return this.#kind === 'link';
  }
  isFIFO(): boolean {
    return this.#kind === 'fifo';
  }
}
