import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import type { DocumentRef, FileStat } from '../../model/document.ts';
import type { Seen } from './task.ts';

/** A new file that waits unread. */
export interface BacklogFile {
  readonly ref: DocumentRef;
  readonly seen: Seen;
}

/** Numbers kept of a file, in this order. */
const fields = ['size', 'mtimeMs', 'ctimeMs', 'birthtimeMs', 'ino', 'dev'] as const;
const width = fields.length;

/** The files of one directory. Never changed, only replaced. */
interface Rows {
  readonly folder: string;
  readonly directory: string;
  /** Joined by `/`, which no name holds: one string for all costs a fifth of one for each. */
  readonly names: string;
  readonly numbers: Float64Array;
  readonly fingerprints: readonly string[];
  /** Monotonic ms since when the longest waiting of them differs. */
  readonly since: number;
}

/**
 * New files that the first scan found and nothing else is known of: the usual state of a first day. A task for each
 * would cost a kilobyte; here a file costs about a hundred bytes. They become tasks in windows, newest
 * first, or when something touches them.
 */
export class Backlog {
  readonly #directories = new Map<string, Rows>();
  readonly #counts = new Map<string, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  count(folder: string): number {
    return this.#counts.get(folder) ?? 0;
  }

  /** Replaces what waits in a directory. */
  replace(
    folder: string,
    directory: string,
    files: readonly { name: string; seen: Seen }[],
    now: number,
  ): void {
    const before = this.#directories.get(keyOf(folder, directory));
    if (before === undefined && files.length === 0) return;
    const interned = new Map<string, string>();
    const fingerprints = files.map(({ seen: { fingerprint } }) => {
      const known = interned.get(fingerprint);
      if (known === undefined) interned.set(fingerprint, fingerprint);
      return known ?? fingerprint;
    });
    const numbers = new Float64Array(files.length * width);
    for (const [index, { seen }] of files.entries()) writeStamp(numbers, index, seen.stat);
    const names = files.map(({ name }) => name).join('/');
    this.#set(keyOf(folder, directory), {
      folder,
      directory,
      names,
      numbers,
      fingerprints,
      since: before?.since ?? now,
    });
  }

  /** What waits in a directory, by name. A new map for each call. */
  inDirectory(folder: string, directory: string): ReadonlyMap<string, Seen> {
    const rows = this.#directories.get(keyOf(folder, directory));
    return new Map(rows === undefined ? [] : filesOf(rows).map(({ ref, seen }) => [nameOf(ref.path), seen]));
  }

  has(ref: DocumentRef): boolean {
    const rows = this.#directories.get(keyOf(ref.folder, directoryOf(ref.path)));
    return rows !== undefined && `/${rows.names}/`.includes(`/${nameOf(ref.path)}/`);
  }

  /** Takes one file out; null: it does not wait here. */
  take(ref: DocumentRef): BacklogFile | null {
    const rows = this.#directories.get(keyOf(ref.folder, directoryOf(ref.path)));
    if (rows === undefined || !this.has(ref)) return null;
    const [taken = null] = this.#takeWhere(rows, (file) => file.ref.path === ref.path);
    return taken;
  }

  /** Takes out the newest, at most about `count`, of those folders. */
  takeNewest(count: number, isWanted: (folder: string) => boolean): readonly BacklogFile[] {
    const wanted = [...this.#directories.values()].filter(({ folder }) => isWanted(folder));
    const total = wanted.reduce((sum, { fingerprints }) => sum + fingerprints.length, 0);
    const times = new Float64Array(total);
    let at = 0;
    for (const { numbers } of wanted) {
      for (let place = 1; place < numbers.length; place += width) times[at++] = numbers[place] ?? 0;
    }
    times.sort();
    const oldest = times[Math.max(0, total - count)] ?? Infinity;
    const taken: BacklogFile[] = [];
    for (const rows of wanted) {
      const room = count - taken.length;
      if (room <= 0) break;
      if (!hasTime(rows, oldest)) continue;
      let left = room;
      taken.push(...this.#takeWhere(rows, ({ seen }) => seen.stat.mtimeMs >= oldest && left-- > 0));
    }
    return taken;
  }

  /** Takes out those that could be the file of this stat: of its size or its inode number. */
  takeLike({ size, ino }: Pick<FileStat, 'size' | 'ino'>): readonly BacklogFile[] {
    const taken: BacklogFile[] = [];
    for (const rows of this.#directories.values()) {
      if (!holds(rows, size, ino)) continue;
      taken.push(...this.#takeWhere(rows, ({ seen: { stat } }) => stat.size === size || stat.ino === ino));
    }
    return taken;
  }

  /** Monotonic ms since when the longest waiting file of a folder differs; null: none waits. */
  oldest(folder: string): number | null {
    let oldest: number | null = null;
    if (this.count(folder) === 0) return null;
    for (const rows of this.#directories.values()) {
      if (rows.folder === folder) oldest = Math.min(oldest ?? Infinity, rows.since);
    }
    return oldest;
  }

  #takeWhere(rows: Rows, isTaken: (file: BacklogFile) => boolean): readonly BacklogFile[] {
    const taken: BacklogFile[] = [];
    const left: BacklogFile[] = [];
    for (const file of filesOf(rows)) (isTaken(file) ? taken : left).push(file);
    if (taken.length === 0) return taken;
    const files = left.map(({ ref, seen }) => ({ name: nameOf(ref.path), seen }));
    this.replace(rows.folder, rows.directory, files, rows.since);
    return taken;
  }

  #set(key: string, rows: Rows): void {
    const more = rows.fingerprints.length - (this.#directories.get(key)?.fingerprints.length ?? 0);
    this.#size += more;
    this.#counts.set(rows.folder, this.count(rows.folder) + more);
    if (rows.fingerprints.length === 0) this.#directories.delete(key);
    else this.#directories.set(key, rows);
  }
}

function keyOf(folder: string, directory: string): string {
  return `${folder}/${directory}`;
}

function filesOf({ folder, directory, names, numbers, fingerprints }: Rows): readonly BacklogFile[] {
  return names.split('/').map((name, index) => ({
    ref: { folder, path: joinPath(directory, name) },
    seen: { stat: readStamp(numbers, index), fingerprint: fingerprints[index] ?? '' },
  }));
}

function writeStamp(numbers: Float64Array, index: number, stat: FileStat): void {
  for (const [place, field] of fields.entries()) numbers[index * width + place] = stat[field];
}

function readStamp(numbers: Float64Array, index: number): FileStat {
  const at = (field: (typeof fields)[number]) => numbers[index * width + fields.indexOf(field)] ?? 0;
  return {
    size: at('size'),
    mtimeMs: at('mtimeMs'),
    ctimeMs: at('ctimeMs'),
    birthtimeMs: at('birthtimeMs'),
    ino: at('ino'),
    dev: at('dev'),
  };
}

function hasTime({ numbers }: Rows, oldest: number): boolean {
  for (let at = fields.indexOf('mtimeMs'); at < numbers.length; at += width) {
    if ((numbers[at] ?? 0) >= oldest) return true;
  }
  return false;
}

/** Whether a file of this size or inode number is among them, without making any. */
function holds({ numbers }: Rows, size: number, ino: number): boolean {
  const inoAt = fields.indexOf('ino');
  for (let at = 0; at < numbers.length; at += width) {
    if (numbers[at] === size || numbers[at + inoAt] === ino) return true;
  }
  return false;
}
