import { directoryOf, joinPath, nameOf, sameInode } from '../../model/document.ts';
import type { DirectoryScan, DocumentEntry, DocumentRef, FileStat } from '../../model/document.ts';
import {
  countPacked,
  packedFields,
  packedFingerprint,
  packedSeen,
  packedStat,
  packedWidth,
  packFiles,
  unpackFiles,
} from '../../model/packed-files.ts';
import type { PackedFiles } from '../../model/packed-files.ts';
import type { Seen } from './task.ts';

/** A file that waits unread. */
export interface BacklogFile {
  readonly ref: DocumentRef;
  readonly seen: Seen;
}

/** What a directory gives to the backlog. `hasRecord`: the ledger knows the path, and the file differs from that. */
export interface BacklogEntry extends DocumentEntry {
  readonly hasRecord: boolean;
}

const both = [false, true] as const;

/** The files of one directory, with records or without. Never changed, only replaced. */
interface Rows extends PackedFiles {
  readonly folder: string;
  readonly directory: string;
  readonly hasRecord: boolean;
  /** Monotonic ms since when the longest waiting of them differs. */
  readonly since: number;
}

/**
 * Files that the first scan found and that cannot have come from elsewhere: new ones, the usual state of a first day, and
 * those that differ from the record of their path, as all do after `ledger import`. A task for each would cost a
 * kilobyte; here a file costs about a hundred bytes. They become tasks in windows, or when something touches them.
 */
export class Backlog {
  readonly #directories = new Map<string, Rows>();
  readonly #counts = new Map<string, number>();
  readonly #recorded = new Map<string, number>();
  /** Names of new files that nobody has looked at as they stand, by folder and directory; null: all that are there. */
  readonly #unjudged = new Map<string, Map<string, Set<string> | null>>();
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
    const key = keyOf({ folder, directory, hasRecord: false });
    const before = this.#directories.get(key);
    for (const hasRecord of both) {
      const alike = files.filter((file) => file.hasRecord === hasRecord);
      this.#replaceRows({ folder, directory, hasRecord }, alike, now);
    }
    const rows = this.#directories.get(key);
    if (rows !== undefined) this.#noteUnjudged(rows, before);
  }

  #noteUnjudged(rows: Rows, before: Rows | undefined): void {
    const { folder, directory } = rows;
    const directories = this.#unjudged.get(folder) ?? new Map<string, Set<string> | null>();
    this.#unjudged.set(folder, directories);
    const known = directories.get(directory);
    if (before === undefined) directories.set(directory, null);
    else if (known !== null) {
      const differing = differingNames(rows, before);
      if (differing.length > 0) directories.set(directory, new Set([...(known ?? []), ...differing]));
    }
  }

  #replaceRows(
    place: Pick<Rows, 'folder' | 'directory' | 'hasRecord'>,
    files: readonly DocumentEntry[],
    now: number,
  ): void {
    const before = this.#directories.get(keyOf(place));
    if (before === undefined && files.length === 0) return;
    this.#set({
      folder: place.folder,
      directory: place.directory,
      hasRecord: place.hasRecord,
      ...packFiles(files),
      since: before?.since ?? now,
    });
  }

  /**
   * What waits in a directory that was listed, and is not there any more, or without the sidecar that it had. `by`: what
   * stands there; null: nothing.
   */
  leftIn({
    folder,
    directory,
    entries,
  }: Pick<DirectoryScan, 'folder' | 'directory' | 'entries'>): readonly (BacklogFile & {
    readonly by: FileStat | null;
  })[] {
    const rows = this.#rowsOf(folder, directory);
    if (rows.length === 0) return [];
    const listed = new Map(entries.map((entry) => [entry.name, entry]));
    return rows.flatMap((some) =>
      some.names.split('/').flatMap((name, index) => {
        const entry = listed.get(name);
        const isSameFile = entry !== undefined && sameInode(entry.stat, packedStat(some, index));
        if (isSameFile && entry?.ownMode === some.ownModes?.get(name)) return [];
        const ref = { folder, path: joinPath(directory, name) };
        return [{ ref, seen: packedSeen(some, name, index), by: entry?.stat ?? null }];
      }),
    );
  }

  /** What waits in a directory, by name. A new map for each call. */
  inDirectory(folder: string, directory: string): ReadonlyMap<string, Seen> {
    const files = this.#rowsOf(folder, directory).flatMap(filesOf);
    return new Map(files.map(({ ref, seen }) => [nameOf(ref.path), seen]));
  }

  /** All that wait at this moment. */
  *refs(): Iterable<DocumentRef> {
    for (const { folder, directory, names } of Array.from(this.#directories.values()))
      for (const name of names.split('/')) yield { folder, path: joinPath(directory, name) };
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

  /** Takes out at most `count` that have a record, of those folders. Nearly all need no request: their order is free. */
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
    const total = wanted.reduce((sum, rows) => sum + countPacked(rows), 0);
    const times = new Float64Array(total);
    let at = 0;
    for (const { stats } of wanted) {
      for (let place = timeAt; place < stats.length; place += packedWidth) times[at++] = stats[place] ?? 0;
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

  hasUnjudged(isWanted: (folder: string) => boolean): boolean {
    for (const [folder, directories] of this.#unjudged)
      if (directories.size > 0 && isWanted(folder)) return true;
    return false;
  }

  /** Names the new files of one directory that nobody has looked at as they stand. They count as judged then. */
  takeUnjudged(
    isWanted: (folder: string) => boolean,
  ): (Pick<Rows, 'folder' | 'directory'> & { readonly names: readonly string[] }) | null {
    for (const [folder, directories] of this.#unjudged) {
      const [first] = isWanted(folder) ? directories : [];
      if (first === undefined) continue;
      const [directory, names] = first;
      directories.delete(directory);
      const rows = this.#directories.get(keyOf({ folder, directory, hasRecord: false }));
      return { folder, directory, names: [...(names ?? rows?.names.split('/') ?? [])] };
    }
    return null;
  }

  /** Takes new files of one directory out. */
  takeNamed(folder: string, directory: string, names: ReadonlySet<string>): readonly BacklogFile[] {
    const rows = this.#directories.get(keyOf({ folder, directory, hasRecord: false }));
    if (rows === undefined || names.size === 0) return [];
    return this.#takeWhere(rows, ({ ref }) => names.has(nameOf(ref.path)));
  }

  /** Takes out the new files that could be the file of this stat: of its size or its inode number. */
  takeLike({ size, ino }: Pick<FileStat, 'size' | 'ino'>): readonly BacklogFile[] {
    const taken: BacklogFile[] = [];
    for (const rows of this.#directories.values()) {
      if (rows.hasRecord || !holds(rows, size, ino)) continue;
      taken.push(
        ...this.#takeWhere(
          rows,
          ({ seen: { stat } }) => stat.size === size || (ino !== 0 && stat.ino === ino),
        ),
      );
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
    const { names, stats, fingerprints } = rows;
    const total = countPacked(rows);
    const first = Math.max(0, total - most);
    let cut = names.length;
    for (let count = total; count > first; count -= 1) cut = names.lastIndexOf('/', cut - 1);
    const part = (text: string, from: number, to: number): Rows => ({
      ...rows,
      names: text,
      stats: stats.subarray(from * packedWidth, to * packedWidth),
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
    const files = left.map(({ ref, seen }) => ({ name: nameOf(ref.path), ...seen }));
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
    const more = countPacked(rows) - (before === undefined ? 0 : countPacked(before));
    this.#size += more;
    this.#counts.set(rows.folder, this.count(rows.folder) + more);
    if (rows.hasRecord) this.#recorded.set(rows.folder, this.countRecorded(rows.folder) + more);
    if (countPacked(rows) === 0) this.#directories.delete(key);
    else this.#directories.set(key, rows);
  }
}

function keyOf({ folder, directory, hasRecord }: Pick<Rows, 'folder' | 'directory' | 'hasRecord'>): string {
  return `${hasRecord ? 'recorded' : 'new'}/${folder}/${directory}`;
}

function filesOf({ folder, directory, ...files }: Rows): readonly BacklogFile[] {
  return unpackFiles(files).map(({ name, ...seen }) => ({
    ref: { folder, path: joinPath(directory, name) },
    seen,
  }));
}

/** Names of files that are not in `before` as they are in `rows`. */
function differingNames(rows: Rows, before: Rows): readonly string[] {
  const known = new Map(before.names.split('/').map((name, index) => [name, index]));
  return rows.names.split('/').filter((name, index) => {
    const at = known.get(name);
    return at === undefined || !isSameFile(rows, index, before, at);
  });
}

/** Without making what it compares: there may be 100,000 in one directory. */
function isSameFile(one: Rows, index: number, other: Rows, at: number): boolean {
  for (let field = 0; field < packedWidth; field += 1)
    if (one.stats[index * packedWidth + field] !== other.stats[at * packedWidth + field]) return false;
  return packedFingerprint(one, index) === packedFingerprint(other, at);
}

const timeAt = packedFields.indexOf('mtimeMs');
const sizeAt = packedFields.indexOf('size');
const inoAt = packedFields.indexOf('ino');

function hasTime({ stats }: Rows, oldest: number): boolean {
  for (let at = timeAt; at < stats.length; at += packedWidth) {
    if ((stats[at] ?? 0) >= oldest) return true;
  }
  return false;
}

/** Whether a file of this size or inode number is among them, without making any. */
function holds({ stats }: Rows, size: number, ino: number): boolean {
  for (let at = 0; at < stats.length; at += packedWidth) {
    if (stats[at + sizeAt] === size || (ino !== 0 && stats[at + inoAt] === ino)) return true;
  }
  return false;
}
