import { fileError } from './file-error.ts';
import { FileStats } from './file-stats.ts';
import { ext4, FileSystem, Inode } from './inode.ts';
import type { Entry, Habits, Kind } from './inode.ts';

/** Something happened to a name in a directory that may be watched; without a name, to the directory itself. */
export interface DiskEvent {
  readonly directory: Inode;
  readonly kind: 'rename' | 'change';
  readonly name: string;
}

interface DiskOptions {
  /** The one directory of the machine below which everything is in memory. */
  readonly prefix: string;
  readonly wallClock: () => number;
  readonly onEvent?: (event: DiskEvent) => void;
}

/** Where a path leads. */
interface Place {
  readonly parent: Inode;
  readonly name: string;
  readonly entry: Entry | null;
  readonly inode: Inode | null;
}

const longestName = 255;
const mostLinks = 40;

/**
 * A tree of files in memory: inodes, hard and symbolic links, owners, modes, mounts. Nothing takes time. Whoever calls
 * may do everything, but for what `guarded` does.
 */
export class MemoryDisk {
  readonly prefix: string;
  readonly #below: string;
  readonly root: Inode;
  readonly #options: DiskOptions;
  readonly #uid = process.geteuid?.() ?? 0;
  #checksRights = false;
  readonly #bound = new Map<string, Inode>();
  readonly #names = new Map<string, readonly string[]>();
  /** Null: a mount or a name may have changed since it was made. */
  #mountTable: string | null = null;

  constructor(options: DiskOptions) {
    this.#options = options;
    this.prefix = options.prefix;
    this.#below = `${options.prefix}/`;
    this.root = this.newRoot(ext4);
  }

  /** The root of a new file system, to be mounted. */
  newRoot(habits: Habits): Inode {
    const system = new FileSystem(habits, this.#options.wallClock);
    const root = new Inode(system, 'directory', { mode: 0o755, uid: this.#uid });
    root.links = 2;
    return root;
  }

  holds(path: string): boolean {
    return path.startsWith(this.#below) || path === this.prefix;
  }

  /** Does it as a process without special rights would. */
  guarded<T>(act: () => T): T {
    this.#checksRights = true;
    try {
      return act();
    } finally {
      this.#checksRights = false;
    }
  }

  /** The inode at a path. Throws as `stat` does. */
  find(path: string, { follow = true, syscall = 'stat' } = {}): Inode {
    const inode = this.seek(path, { follow, syscall });
    if (inode === null) throw fileError('ENOENT', syscall, path);
    return inode;
  }

  /** The same; null where nothing stands. To throw costs more than to look. */
  seek(path: string, { follow = true, syscall = 'stat' } = {}): Inode | null {
    return this.#place(path, follow, syscall)?.inode ?? null;
  }

  /** The same, or null where there is none. */
  peek(path: string, follow = false): Inode | null {
    try {
      return this.seek(path, { follow });
    } catch {
      return null;
    }
  }

  /** The name by which a path leads to its inode; a link at its end is not followed. */
  entryAt(path: string, syscall: string): Entry {
    const { entry } = this.#walk(path, false, syscall);
    if (entry === null) throw fileError('ENOENT', syscall, path);
    return entry;
  }

  stats(inode: Inode, { isOpen = false } = {}): FileStats {
    const { attributeCacheMs } = inode.system.habits;
    if (attributeCacheMs === 0 || !this.#checksRights) return new FileStats(inode, inode.attributes());
    const now = this.#options.wallClock();
    if (isOpen || inode.told === null || Math.abs(now - inode.told.at) >= attributeCacheMs)
      inode.told = { at: now, attributes: inode.attributes() };
    return new FileStats(inode, inode.told.attributes);
  }

  list(directory: Inode, path: string): readonly string[] {
    if (directory.kind !== 'directory') throw fileError('ENOTDIR', 'scandir', path);
    if (this.#checksRights && (directory.mode & 0o400) === 0) throw fileError('EACCES', 'scandir', path);
    return [...directory.entries.values()].map(({ name }) => name).sort();
  }

  /** Makes an empty file, directory, link or FIFO. */
  make(path: string, kind: Kind, { mode = 0o644, syscall = 'open' } = {}): Entry {
    const { parent, name, entry } = this.#walk(path, false, syscall);
    if (entry !== null || name === '') throw fileError('EEXIST', syscall, path);
    const inode = new Inode(parent.system, kind, { mode, uid: this.#uid });
    if (kind === 'directory') parent.links += 1;
    return this.#enter(parent, name, inode);
  }

  link(from: string, to: string): void {
    const { inode } = this.entryAt(from, 'link');
    const { parent, name, entry } = this.#walk(to, false, 'link');
    if (entry !== null) throw fileError('EEXIST', 'link', from);
    // FAT has one name for a file.
    const isFat = inode.system.habits.type.name === 'vfat';
    if (inode.kind === 'directory' || isFat) throw fileError('EPERM', 'link', from);
    if (inode.system !== parent.system) throw fileError('EXDEV', 'link', from);
    this.#enter(parent, name, inode);
    inode.touch('status');
  }

  rename(from: string, to: string): void {
    // Both directories are looked up before either name.
    const { entry: moved } = this.#walk(from, false, 'rename');
    const { parent, name, entry: other } = this.#walk(to, false, 'rename');
    if (moved === null) throw fileError('ENOENT', 'rename', from);
    if (moved.inode.mounted !== null) throw fileError('EBUSY', 'rename', from);
    const { inode } = moved;
    if (inode.system !== parent.system) throw fileError('EXDEV', 'rename', from);
    if (other?.inode === inode && other !== moved) return;
    const replaced = other === moved ? null : other;
    if (replaced !== null) checkReplaced(moved, replaced, from);
    for (let above: Inode | null = parent; above !== null; above = above.entry?.parent ?? null)
      if (above === inode) throw fileError('EINVAL', 'rename', from);
    if (replaced !== null) this.#leave(replaced);
    const before = { directory: moved.parent, name: moved.name };
    moved.parent.entries.delete(moved.parent.keyOf(moved.name));
    moved.parent.touch('content');
    if (inode.kind === 'directory') {
      moved.parent.links -= 1;
      parent.links += 1;
    }
    moved.parent = parent;
    moved.name = name;
    parent.entries.set(parent.keyOf(name), moved);
    parent.touch('content');
    inode.touch('status');
    this.#tell(before.directory, 'rename', before.name);
    this.#tell(parent, 'rename', name);
    if (inode.kind === 'directory') this.#tell(inode, 'rename', before.name);
  }

  remove(path: string, syscall = 'unlink'): void {
    const entry = this.entryAt(path, syscall);
    if (entry.inode.kind === 'directory' && entry.inode.entries.size > 0)
      throw fileError('ENOTEMPTY', syscall, path);
    this.#leave(entry);
  }

  /** A directory too, and all that is in it, the deepest first. */
  removeAll(path: string): void {
    const { inode } = this.entryAt(path, 'rm');
    for (const { name } of Array.from(inode.entries.values())) this.removeAll(`${path}/${name}`);
    this.remove(path, 'rm');
  }

  /** Replaces the bytes from `at` on; the file grows where they reach beyond its end. `entry`: by which name. */
  write(inode: Inode, bytes: Uint8Array, at: number, entry: Entry | null): void {
    const content = Buffer.alloc(Math.max(inode.content.length, at + bytes.length));
    inode.content.copy(content);
    content.set(bytes, at);
    this.replace(inode, content, entry);
  }

  replace(inode: Inode, content: Buffer, entry: Entry | null): void {
    inode.content = content;
    inode.touch('content');
    if (entry !== null && !entry.isRemoved) this.#tell(entry.parent, 'change', entry.name);
  }

  /** Rights, owner or times were changed. */
  changed(path: string, act: (inode: Inode) => void): void {
    const entry = this.entryAt(path, 'chmod');
    entry.inode.touch('status');
    act(entry.inode);
    this.#tell(entry.parent, 'change', entry.name);
  }

  mount(path: string, root: Inode): void {
    const point = this.find(path);
    point.mounted = root;
    root.mountPoint = point;
    root.entry = point.entry;
    this.#mountTable = null;
  }

  /** Shows a directory at a second place. */
  bind(path: string, directory: Inode): void {
    this.find(path).mounted = directory;
    this.#bound.set(path, directory);
    this.#mountTable = null;
  }

  /** A path as whoever came by `used` sees it: below the second place where he came by that. */
  seenBy(used: string, path: string): string {
    for (const [place, directory] of this.#bound) {
      const first = this.directoryPath(directory);
      if ((used === place || used.startsWith(`${place}/`)) && path.startsWith(first))
        return `${place}${path.slice(first.length)}`;
    }
    return path;
  }

  /** As `/proc/self/mountinfo` has it. */
  mountTable(): string {
    this.#mountTable ??= this.#makeMountTable();
    return this.#mountTable;
  }

  #makeMountTable(): string {
    const lines: string[] = ['1 0 8:1 / / rw - ext4 /dev/sda1 rw'];
    const visit = (directory: Inode, path: string): void => {
      const { mounted } = directory;
      if (mounted !== null) {
        const { dev, type } = mounted.system.habits;
        lines.push(
          `${lines.length + 1} 1 0:${dev} ${placeInSystem(mounted)} ${path} rw - ${type.name} disk rw`,
        );
      }
      for (const { inode, name } of (mounted ?? directory).entries.values())
        if (inode.kind === 'directory') visit(inode, `${path}/${name}`);
    };
    visit(this.root, this.prefix);
    return `${lines.join('\n')}\n`;
  }

  /** What was not synced below a directory is lost, each part of it if `isLost` says so. */
  losePower(path: string, isLost: () => boolean): void {
    this.#mountTable = null;
    const visit = (directory: Inode): void => {
      if (isLost()) {
        directory.entries.clear();
        // Names may have changed since.
        for (const [name, { inode }] of directory.durable.entries)
          directory.entries.set(name, { name, parent: directory, inode, isRemoved: false });
      }
      for (const { inode } of directory.entries.values()) {
        if (inode.kind === 'directory') visit(inode);
        else if (isLost()) inode.content = inode.durable.content;
      }
    };
    visit(this.find(path));
  }

  /** Gives what was mounted there. */
  unmount(path: string): Inode {
    const root = this.find(path);
    const point = root.mountPoint;
    if (point === null) throw fileError('EINVAL', 'umount', path);
    point.mounted = null;
    root.mountPoint = null;
    root.entry = null;
    this.#mountTable = null;
    if (point.entry !== null) this.#tell(root, 'rename', point.entry.name);
    return root;
  }

  /** Where a name leads now, absolute; as the kernel says it of an open file. */
  pathOf(entry: Entry): string {
    const suffix = entry.isRemoved ? ' (deleted)' : '';
    return `${this.directoryPath(entry.parent)}/${entry.name}${suffix}`;
  }

  directoryPath(directory: Inode): string {
    if (directory === this.root) return this.prefix;
    const entry = directory.entry ?? directory.mountPoint?.entry ?? null;
    return entry === null ? '/elsewhere' : this.pathOf(entry);
  }

  /** All links on the way followed. */
  realPath(path: string): string {
    const place = this.#walk(path, true, 'realpath');
    if (place.inode === null) throw fileError('ENOENT', 'realpath', path);
    if (place.entry === null) return this.prefix;
    return this.seenBy(
      path,
      place.inode.kind === 'directory' ? this.directoryPath(place.inode) : this.pathOf(place.entry),
    );
  }

  #enter(parent: Inode, name: string, inode: Inode): Entry {
    const entry = { name, parent, inode, isRemoved: false };
    parent.entries.set(parent.keyOf(name), entry);
    parent.touch('content');
    inode.links += inode.kind === 'directory' ? 2 : 1;
    if (inode.kind === 'directory') inode.entry = entry;
    this.#tell(parent, 'rename', name);
    return entry;
  }

  #leave(entry: Entry): void {
    const { parent, inode, name } = entry;
    parent.entries.delete(parent.keyOf(name));
    parent.touch('content');
    entry.isRemoved = true;
    inode.links -= inode.kind === 'directory' ? 2 : 1;
    if (inode.kind === 'directory') parent.links -= 1;
    inode.touch('status');
    if (inode.links === 0 && inode.opened === 0) inode.system.free(inode.ino);
    this.#tell(parent, 'rename', name);
    if (inode.kind === 'directory') this.#tell(inode, 'rename', name);
  }

  #tell(directory: Inode, kind: DiskEvent['kind'], name: string): void {
    if (kind === 'rename') this.#mountTable = null;
    this.#options.onEvent?.({ directory, kind, name });
  }

  #walk(path: string, follow: boolean, syscall: string): Place {
    const place = this.#place(path, follow, syscall);
    if (place === null) throw fileError('ENOENT', syscall, path);
    return place;
  }

  /** The names of a path below the prefix. The same paths are looked up over and over. */
  #namesIn(path: string): readonly string[] {
    const known = this.#names.get(path);
    if (known !== undefined) return known;
    const parts = path.slice(this.prefix.length).split('/');
    const names = parts.filter((name) => name !== '' && name !== '.');
    this.#names.set(path, names);
    return names;
  }

  /** Null: a directory on the way is missing. */
  #place(path: string, follow: boolean, syscall: string, linked = 0): Place | null {
    if (linked > mostLinks) throw fileError('ELOOP', syscall, path);
    const names = this.#namesIn(path);
    let parent = this.root;
    if (names.length === 0) return { parent, name: '', entry: null, inode: this.root };
    const last = names.length - 1;
    for (let index = 0; index <= last; index += 1) {
      const name = names[index] ?? '';
      if (name.length * 3 > longestName && Buffer.byteLength(name) > longestName)
        throw fileError('ENAMETOOLONG', syscall, path);
      if (parent.kind !== 'directory') throw fileError('ENOTDIR', syscall, path);
      if (this.#checksRights && (parent.mode & 0o100) === 0) throw fileError('EACCES', syscall, path);
      const isLast = index === last;
      if (name === '..') {
        parent = parent.entry?.parent ?? parent;
        if (isLast) return { parent, name: '', entry: parent.entry, inode: parent };
        continue;
      }
      const entry = parent.entries.get(parent.keyOf(name)) ?? null;
      if (entry === null && !isLast) return null;
      if (entry?.inode.kind === 'link' && (follow || !isLast)) {
        const rest = names.slice(index + 1).join('/');
        const { target } = entry.inode;
        const base = target.startsWith('/') ? target : `${this.directoryPath(parent)}/${target}`;
        if (!this.holds(base)) return null;
        return this.#place(rest === '' ? base : `${base}/${rest}`, follow, syscall, linked + 1);
      }
      const inode = entry === null ? null : (entry.inode.mounted ?? entry.inode);
      if (isLast) return { parent, name, entry, inode };
      parent = inode ?? parent;
    }
    return null;
  }
}

/** Throws where one entry may not take the place of another. */
function checkReplaced(moved: Entry, other: Entry, from: string): void {
  const isDirectory = other.inode.kind === 'directory';
  if (isDirectory && moved.inode.kind !== 'directory') throw fileError('EISDIR', 'rename', from);
  if (!isDirectory && moved.inode.kind === 'directory') throw fileError('ENOTDIR', 'rename', from);
  if (other.inode.entries.size > 0) throw fileError('ENOTEMPTY', 'rename', from);
}

/** Where a directory is within its file system. */
function placeInSystem(directory: Inode): string {
  let place = '';
  for (let at = directory; at.mountPoint === null && at.entry !== null; at = at.entry.parent)
    place = `/${at.entry.name}${place}`;
  return place || '/';
}
