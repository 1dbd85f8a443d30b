import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import type { DirectoryScan, DocumentRef, FileStat } from '../../model/document.ts';
import type { Seen } from './task.ts';

/** A file that waits unread. */
export interface BacklogFile {
  readonly ref: DocumentRef;
  readonly seen: Seen;
}

/** What a directory gives to the backlog. `hasRecord`: the ledger knows the path, and the file differs from that. */
export interface BacklogEntry {
  readonly name: string;
  readonly seen: Seen;
  readonly hasRecord: boolean;
}

/** Numbers kept of a file, in this order. */
const fields = ['size', 'mtimeMs', 'ctimeMs', 'birthtimeMs', 'ino', 'dev'] as const;
const width = fields.length;
const both = [false, true] as const;

/** The files of one directory, with records or without. Never changed, only replaced. */
interface Rows {
  readonly folder: string;
  readonly directory: string;
  readonly hasRecord: boolean;
  /** Joined by `/`, which no name holds: one string for all costs a fifth of one for each. */
  readonly names: string;
  readonly numbers: Float64Array;
  /** One for all where all are equal. */
  readonly fingerprints: readonly string[];
  /** Monotonic ms since when the longest waiting of them differs. */
  readonly since: number;
}

/**
 * Files that the first scan found and that cannot have come from elsewhere: new ones, the usual state of a first day,
 * and those that differ from the record of their path, as all do after `ledger import`. A task for each would cost a
 * kilobyte; here a file costs about a hundred bytes. They become tasks in windows, or when something touches
 * them.
 */
export class Backlog {
  readonly #directories = new Map<string, Rows>();
  readonly #counts = new Map<string, number>();
  readonly #recorded = new Map<string, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  count(folder: string): number {
    return this.#counts.get(folder) ?? 0;
  }

  /** How many of them have a record. */
  countRecorded(folder: string): number {
    return this.#recorded.get(folder) ?? 0;
  }

  /** Replaces what waits in a directory. */
  replace(folder: string, directory: string, files: readonly BacklogEntry[], now: number): void {
    for (const hasRecord of both) {
      const alike = files.filter((file) => file.hasRecord === hasRecord);
      this.#replaceRows({ folder, directory, hasRecord }, alike, now);
    }
  }

  #replaceRows(
    place: Pick<Rows, 'folder' | 'directory' | 'hasRecord'>,
    files: readonly Pick<BacklogEntry, 'name' | 'seen'>[],
    now: number,
  ): void {
    const before = this.#directories.get(keyOf(place));
    if (before === undefined && files.length === 0) return;
    const interned = new Map<string, string>();
    const fingerprints = files.map(({ seen: { fingerprint } }) => {
      const known = interned.get(fingerprint);
      if (known === undefined) interned.set(fingerprint, fingerprint);
      return known ?? fingerprint;
    });
    if (interned.size === 1) fingerprints.length = 1;
    const numbers = new Float64Array(files.length * width);
    for (const [index, { seen }] of files.entries()) writeStat(numbers, index, seen.stat);
    const names = files.map(({ name }) => name).join('/');
    this.#set({
      folder: place.folder,
      directory: place.directory,
      hasRecord: place.hasRecord,
      names,
      numbers,
      fingerprints,
      since: before?.since ?? now,
    });
  }

  /** What waits in a directory that was listed, and is not there any more. */
  missingFrom({
    folder,
    directory,
    entries,
  }: Pick<DirectoryScan, 'folder' | 'directory' | 'entries'>): readonly Seen[] {
    const rows = this.#rowsOf(folder, directory);
    if (rows.length === 0) return [];
    const listed = new Set(entries.map(({ name }) => name));
    return rows.flatMap((some) =>
      some.names.split('/').flatMap((name, index) => (listed.has(name) ? [] : [seenAt(some, index)])),
    );
  }

  /** What waits in a directory, by name. A new map for each call. */
  inDirectory(folder: string, directory: string): ReadonlyMap<string, Seen> {
    const files = this.#rowsOf(folder, directory).flatMap(filesOf);
    return new Map(files.map(({ ref, seen }) => [nameOf(ref.path), seen]));
  }

  has(ref: DocumentRef): boolean {
    return this.#rowsWith(ref) !== undefined;
  }

  /** Takes one file out; null: it does not wait here. */
  take(ref: DocumentRef): BacklogFile | null {
    const rows = this.#rowsWith(ref);
    if (rows === undefined) return null;
    const [taken = null] = this.#takeWhere(rows, (file) => file.ref.path === ref.path);
    return taken;
  }

  /**
   * Takes out at most `count` that have a record, of those folders. Nearly all need no request: their order is free.
   */
  takeRecorded(count: number, isWanted: (folder: string) => boolean): readonly BacklogFile[] {
    const taken: BacklogFile[] = [];
    if (![...this.#recorded].some(([folder, waiting]) => waiting > 0 && isWanted(folder))) return taken;
    for (const rows of this.#directories.values()) {
      if (taken.length >= count) break;
      if (rows.hasRecord && isWanted(rows.folder)) taken.push(...this.#takeLast(rows, count - taken.length));
    }
    return taken;
  }

  /** Takes out the newest of the new files, at most about `count`, of those folders. */
  takeNewest(count: number, isWanted: (folder: string) => boolean): readonly BacklogFile[] {
    const hasNew = ([folder, all]: [string, number]) => all > this.countRecorded(folder) && isWanted(folder);
    if (![...this.#counts].some(hasNew)) return [];
    const wanted = [...this.#directories.values()].filter((rows) => !rows.hasRecord && isWanted(rows.folder));
    const total = wanted.reduce((sum, rows) => sum + countOf(rows), 0);
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

  /** Takes out the new files that could be the file of this stat: of its size or its inode number. */
  takeLike({ size, ino }: Pick<FileStat, 'size' | 'ino'>): readonly BacklogFile[] {
    const taken: BacklogFile[] = [];
    for (const rows of this.#directories.values()) {
      if (rows.hasRecord || !holds(rows, size, ino)) continue;
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

  /** Takes out the last ones. Nothing is made for the others: there may be 100,000 in one directory. */
  #takeLast(rows: Rows, most: number): readonly BacklogFile[] {
    const { names, numbers, fingerprints } = rows;
    const total = countOf(rows);
    const first = Math.max(0, total - most);
    let cut = names.length;
    for (let count = total; count > first; count -= 1) cut = names.lastIndexOf('/', cut - 1);
    const part = (text: string, from: number, to: number): Rows => ({
      ...rows,
      names: text,
      numbers: numbers.subarray(from * width, to * width),
      fingerprints: fingerprints.length === 1 ? fingerprints : fingerprints.slice(from, to),
    });
    this.#set(part(first === 0 ? '' : names.slice(0, cut), 0, first));
    return filesOf(part(first === 0 ? names : names.slice(cut + 1), first, total));
  }

  #takeWhere(rows: Rows, isTaken: (file: BacklogFile) => boolean): readonly BacklogFile[] {
    const taken: BacklogFile[] = [];
    const left: BacklogFile[] = [];
    for (const file of filesOf(rows)) (isTaken(file) ? taken : left).push(file);
    if (taken.length === 0) return taken;
    const files = left.map(({ ref, seen }) => ({ name: nameOf(ref.path), seen }));
    this.#replaceRows(rows, files, rows.since);
    return taken;
  }

  #rowsOf(folder: string, directory: string): readonly Rows[] {
    const found = both.map((hasRecord) => this.#directories.get(keyOf({ folder, directory, hasRecord })));
    return found.filter((rows) => rows !== undefined);
  }

  #rowsWith({ folder, path }: DocumentRef): Rows | undefined {
    if (this.#size === 0) return undefined;
    return this.#rowsOf(folder, directoryOf(path)).find(({ names }) =>
      `/${names}/`.includes(`/${nameOf(path)}/`),
    );
  }

  #set(rows: Rows): void {
    const key = keyOf(rows);
    const before = this.#directories.get(key);
    const more = countOf(rows) - (before === undefined ? 0 : countOf(before));
    this.#size += more;
    this.#counts.set(rows.folder, this.count(rows.folder) + more);
    if (rows.hasRecord) this.#recorded.set(rows.folder, this.countRecorded(rows.folder) + more);
    if (countOf(rows) === 0) this.#directories.delete(key);
    else this.#directories.set(key, rows);
  }
}

function keyOf({ folder, directory, hasRecord }: Pick<Rows, 'folder' | 'directory' | 'hasRecord'>): string {
  return `${hasRecord ? 'recorded' : 'new'}/${folder}/${directory}`;
}

function countOf({ numbers }: Rows): number {
  return numbers.length / width;
}

function filesOf({ folder, directory, names, numbers, fingerprints }: Rows): readonly BacklogFile[] {
  return names.split('/').map((name, index) => ({
    ref: { folder, path: joinPath(directory, name) },
    seen: seenAt({ numbers, fingerprints }, index),
  }));
}

function seenAt({ numbers, fingerprints }: Pick<Rows, 'numbers' | 'fingerprints'>, index: number): Seen {
  return {
    stat: readStat(numbers, index),
    fingerprint: (fingerprints.length === 1 ? fingerprints[0] : fingerprints[index]) ?? '',
  };
}

function writeStat(numbers: Float64Array, index: number, stat: FileStat): void {
  for (const [place, field] of fields.entries()) numbers[index * width + place] = stat[field];
}

function readStat(numbers: Float64Array, index: number): FileStat {
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
