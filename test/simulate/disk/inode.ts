/** How one file system differs from another. */
export interface Habits {
  readonly dev: number;
  /** As statfs and the mount table name it. */
  readonly type: { readonly magic: number; readonly name: string };
  /** Its clock beside this host's, ms. */
  readonly clockOffsetMs: number;
  /** The steps of its times, ms. */
  readonly granuleMs: number;
  readonly hasBirthTimes: boolean;
  readonly firstInode: number;
  /** The number of a removed file goes to the next new one. */
  readonly reusesInodes: boolean;
  readonly isCaseless: boolean;
  /** What a stat by path says may be so old, ms; an open file is always looked at afresh. */
  readonly attributeCacheMs: number;
}

export const ext4: Habits = {
  dev: 2049,
  type: { magic: 0xef53, name: 'ext4' },
  clockOffsetMs: 0,
  granuleMs: 0.001,
  hasBirthTimes: true,
  firstInode: 1_000,
  reusesInodes: true,
  isCaseless: false,
  attributeCacheMs: 0,
};

export type Kind = 'file' | 'directory' | 'link' | 'fifo';

/** A name in a directory. An open file keeps it, so that its path can be told. */
export interface Entry {
  name: string;
  parent: Inode;
  readonly inode: Inode;
  isRemoved: boolean;
}

/** What `stat` tells that a network file system may tell late. */
export interface Attributes {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** One mounted file system: gives numbers and times to what is in it. */
export class FileSystem {
  readonly habits: Habits;
  readonly #wallClock: () => number;
  #lastInode: number;
  #freeInodes: number[] = [];

  constructor(habits: Habits, wallClock: () => number) {
    this.habits = habits;
    this.#wallClock = wallClock;
    this.#lastInode = habits.firstInode;
  }

  nextInode(): number {
    const reused = this.habits.reusesInodes ? this.#freeInodes.pop() : undefined;
    if (reused !== undefined) return reused;
    this.#lastInode += 1;
    return this.#lastInode;
  }

  free(ino: number): void {
    this.#freeInodes.push(ino);
  }

  time(): number {
    const { clockOffsetMs, granuleMs } = this.habits;
    const now = this.#wallClock() + clockOffsetMs;
    return granuleMs < 1 ? now : Math.floor(now / granuleMs) * granuleMs;
  }
}

/** A file, a directory or a link, whatever its names are. */
export class Inode {
  readonly kind: Kind;
  readonly system: FileSystem;
  readonly ino: number;
  mode: number;
  uid: number;
  links = 0;
  mtimeMs: number;
  ctimeMs: number;
  readonly birthtimeMs: number;
  content: Buffer = Buffer.alloc(0);
  /** Of a link. */
  target = '';
  readonly entries = new Map<string, Entry>();
  /** The name of a directory; null: a root, or one that was removed. */
  entry: Entry | null = null;
  /** What is mounted on it. */
  mounted: Inode | null = null;
  /** Where this root is mounted. */
  mountPoint: Inode | null = null;
  opened = 0;
  /** What a power loss leaves of it. */
  durable: { content: Buffer; entries: ReadonlyMap<string, Entry> } = {
    content: Buffer.alloc(0),
    entries: new Map(),
  };
  /** The text of a content. */
  #read: { readonly content: Buffer; readonly text: string } | null = null;
  /** What was last told, and when. */
  told: { readonly at: number; readonly attributes: Attributes } | null = null;

  constructor(
    system: FileSystem,
    kind: Kind,
    { mode, uid }: { readonly mode: number; readonly uid: number },
  ) {
    this.system = system;
    this.kind = kind;
    this.ino = system.nextInode();
    this.mode = mode;
    this.uid = uid;
    const now = system.time();
    this.mtimeMs = now;
    this.ctimeMs = now;
    this.birthtimeMs = system.habits.hasBirthTimes ? now : 0;
  }

  /** Its content as a text, which is asked for much more often than it changes. */
  text(): string {
    const { content } = this;
    if (this.#read?.content !== content) this.#read = { content, text: content.toString() };
    return this.#read.text;
  }

  attributes(): Attributes {
    const size =
      this.kind === 'file' ? this.content.length : this.kind === 'link' ? this.target.length : 4096;
    return { size, mtimeMs: this.mtimeMs, ctimeMs: this.ctimeMs };
  }

  touch(what: 'content' | 'status'): void {
    const now = this.system.time();
    this.ctimeMs = now;
    if (what === 'content') this.mtimeMs = now;
  }

  /** A directory's key for a name: on a file system without case, `A` and `a` are one. */
  keyOf(name: string): string {
    return this.system.habits.isCaseless ? name.toLowerCase() : name;
  }
}
