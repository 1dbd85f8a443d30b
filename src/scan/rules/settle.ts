import { directoryOf, joinPath, knownInode, nameOf } from '../../model/document.ts';
import type { FileIdentity, FileStat } from '../../model/document.ts';

/** How soon a place is inspected again that a scan has to see first. */
export const afterScanMs = 250;

/** What of a stat tells whether a file is as it was. */
export type Look = Pick<FileStat, 'size' | 'mtimeMs' | 'ctimeMs' | 'ino'>;

/** Of what has none, or is not there. */
export const noLook: Look = { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 };

/** What a directory's files and directories looked like when it was listed, and since when, monotonic ms. */
interface Listed {
  readonly keys: readonly number[];
  readonly since: readonly number[];
  /** The marks of their identities. */
  readonly marks: Uint32Array;
}

/** Nothing is inspected again this late. */
const keepMs = 3_600_000;
const pruneAbove = 5_000;

export type Observations = ReturnType<typeof createObservations>;

/**
 * Remembers since when files have looked as they do, and since when others have been missing. All of it by the monotonic
 * clock of this process: times of files are compared with each other only. `passed`: tells how much time passes between
 * two calls, ms.
 */
export function createObservations(settleMs: number, passed = () => performance.now()) {
  const listed = new Map<string, Listed>();
  /** What inspections saw that no listing has shown yet. */
  const seen = new Map<string, { readonly key: number; readonly since: number }>();
  /** The newest time that the file system has shown. */
  let newestMs = 0;
  let at = 0;
  let takenAt = passed();

  /** Later than `at` by what passed since the question came: a look counts from when it was over. */
  const present = () => at + passed() - takenAt;

  /** Since when it has looked like this, at its latest listing or inspection; undefined: it did not. */
  function knownSince(path: string, key: number): number | undefined {
    const last = seen.get(path);
    if (last !== undefined) return last.key === key ? last.since : undefined;
    for (const directory of [directoryOf(path), path]) {
      const { keys, since } = listed.get(directory) ?? nothing;
      const found = keys.indexOf(key);
      if (found !== -1) return since[found];
    }
    return undefined;
  }

  function standsMs(path: string, look: Look): number {
    const key = keyOf(nameOf(path), look);
    const since = knownSince(path, key);
    if (since === undefined) seen.set(path, { key, since: present() });
    return Math.max(0, at - (since ?? at));
  }

  return {
    /** The moment that holds now, monotonic ms. */
    now: () => at,
    present,
    /**
     * Takes note of what a listing shows of a directory: of itself, by its path, and of what is in it, by name. Gives the
     * names that are new, or did not look like that before.
     */
    list: (
      directory: string,
      own: Look,
      entries: Iterable<{ readonly name: string; readonly stats: FileStat | null }>,
    ): ReadonlySet<string> => {
      const before = listed.get(directory) ?? nothing;
      const known = new Map(before.keys.map((key, index) => [key, before.since[index]]));
      const now = present();
      newestMs = Math.max(newestMs, own.ctimeMs);
      const ownKey = keyOf(nameOf(directory), own);
      const keys = [ownKey];
      const since = [knownSince(directory, ownKey) ?? now];
      seen.delete(directory);
      const fresh = new Set<string>();
      const marks: number[] = [];
      for (const { name, stats } of entries) {
        if (stats === null) continue;
        marks.push(markOf(stats));
        newestMs = Math.max(newestMs, stats.ctimeMs);
        const key = keyOf(name, stats);
        const path = joinPath(directory, name);
        const last = seen.get(path);
        seen.delete(path);
        const from = last === undefined ? known.get(key) : last.key === key ? last.since : undefined;
        if (!known.has(key)) fresh.add(name);
        keys.push(key);
        since.push(from ?? now);
      }
      listed.set(directory, { keys, since, marks: Uint32Array.from(marks) });
      return fresh;
    },
    /** Whether a directory's listing showed something just like this. */
    isListed: (path: string, look: Look): boolean =>
      listed.get(directoryOf(path))?.keys.includes(keyOf(nameOf(path), look)) === true,
    /** Tells what a directory's listing did not show just like this. */
    isNewIn: (directory: string): ((name: string, look: Look) => boolean) => {
      const keys = new Set(listed.get(directory)?.keys);
      return (name, look) => !keys.has(keyOf(name, look));
    },
    /** Whether a directory looks as it did when it was listed. */
    isAsListed: (directory: string, own: Look): boolean =>
      listed.get(directory)?.keys[0] === keyOf(nameOf(directory), own),
    /** Directories whose listings showed one of these files, or one that cannot be told from it by four bytes. */
    directoriesOf: (files: readonly FileStat[]): readonly string[] => {
      const wanted = new Set(files.map(markOf));
      return [...listed].flatMap(([directory, { marks }]) =>
        marks.some((mark) => wanted.has(mark)) ? [directory] : [],
      );
    },
    /** For how long it has been there at least, by the times of its file system, ms; 0 where its birth time is unknown. */
    ageMs: ({ birthtimeMs }: Pick<FileIdentity, 'birthtimeMs'>): number =>
      birthtimeMs === 0 ? 0 : Math.max(0, newestMs - birthtimeMs),
    /** A directory is gone. */
    forget: (directory: string): void => {
      listed.delete(directory);
    },
    /** What inspections saw there counts no more. */
    unsee: (path: string): void => {
      seen.delete(path);
    },
    /** For how long it has looked like this, ms. Counts as a look. */
    standsMs,
    /**
     * Milliseconds until the file counts as settled: two looks so far apart agree; 0: it has. Counts as a look. Where the
     * times of a file are coarse, one that is changed within their step looks as before: it takes that much longer.
     */
    settle: (path: string, look: Look): number =>
      Math.max(0, Math.ceil(settleMs + granuleMs(look) - standsMs(path, look))),
    /** The moment that holds from now on, monotonic ms. */
    moment: (monotonic: number): void => {
      at = monotonic;
      takenAt = passed();
    },
    prune: (): void => {
      if (seen.size < pruneAbove) return;
      for (const [path, { since }] of seen) if (at - since > settleMs + keepMs) seen.delete(path);
    },
  };
}

const nothing: Listed = { keys: [], since: [], marks: new Uint32Array() };

/** The longest step of the times that file systems keep: that of FAT. */
const coarsestMs = 2_000;

/** How long a file may change without its times telling: whole seconds are those of a file system that keeps no others. */
function granuleMs({ mtimeMs, ctimeMs }: Pick<Look, 'mtimeMs' | 'ctimeMs'>): number {
  return mtimeMs % 1_000 === 0 && ctimeMs % 1_000 === 0 ? coarsestMs : 0;
}

/** What is kept of a file's identity: 32 bits of the inode number, or else of the time when it was saved. */
function markOf({ ino, mtimeMs }: FileStat): number {
  return (knownInode(ino) || mtimeMs) >>> 0;
}

const numbers = new Float64Array(4);
const words = new Uint32Array(numbers.buffer);

/** A number of 53 bits that differs when a name or its stat does. A text for each of 1,000,000 files would take 100 MB. */
export function keyOf(name: string, { size, mtimeMs, ctimeMs, ino }: Look): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  const add = (word: number) => {
    high = Math.imul(high ^ word, 0x9e3779b1);
    low = Math.imul(low ^ word, 0x5f356495);
    high ^= high >>> 15;
    low ^= low >>> 13;
  };
  for (let index = 0; index < name.length; index += 1) add(name.charCodeAt(index));
  numbers.set([size, mtimeMs, ctimeMs, knownInode(ino)]);
  for (const word of words) add(word);
  return (high & 0x1f_ffff) * 2 ** 32 + (low >>> 0);
}
