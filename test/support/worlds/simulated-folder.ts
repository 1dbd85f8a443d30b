import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

import type { Clock } from '../../../src/lib/time/clock.ts';
import { directoryOf, joinPath, nameOf, sameStat, sameFile } from '../../../src/model/document.ts';
import type { DirectoryScan, FileStat, Inspection } from '../../../src/model/document.ts';
import { ContentChangedError } from '../../../src/model/errors.ts';
import type { ContentSource, FolderListener, FolderPort } from '../../../src/model/ports/folder-port.ts';
import type { Metadata } from '../../../src/model/metadata/metadata.ts';

interface SimulatedFile {
  content: string;
  /** Monotonic ms of the last write: what settling goes by, whatever the wall clock does. */
  writtenAt: number;
  stat: FileStat;
  metadata: Metadata;
}

export interface SimulatedFolder extends FolderPort {
  /** `ino`: of a new file, an inode number that was used before. */
  readonly write: (path: string, content: string, ino?: number) => void;
  readonly rename: (from: string, to: string) => void;
  /** One file under two paths: a hard link. */
  readonly link: (from: string, to: string) => void;
  readonly remove: (path: string) => void;
  /** Renames a file to somewhere outside the folder, under its path as its name. */
  readonly takeAway: (path: string) => void;
  /** Renames what was taken away under that name to a path in the folder. */
  readonly bringBack: (name: string, to: string) => void;
  /** What its sidecar says. */
  readonly describe: (path: string, metadata: Metadata) => void;
  /** Lists every directory, as after events in all of them. `isWhole` false: nobody says that it was all. */
  readonly scan: (cause?: DirectoryScan['cause'], isWhole?: boolean) => void;
  readonly contents: () => ReadonlyMap<string, string>;
  /** Path → stat, of everything that stands in it. */
  readonly stats: () => ReadonlyMap<string, FileStat>;
  /** Its root cannot be reached from now on, or can again: inspections say nothing and nothing is scanned meanwhile. */
  readonly setAway: (away: boolean) => void;
  /** Another root directory stands in its place from now on. */
  readonly replaceRoot: () => void;
}

/** What is sent, as the service in memory sees it when a request goes out. */
export interface SimulatedSource extends ContentSource {
  readonly path: string;
  readonly stat: FileStat;
}

interface Options {
  readonly name: string;
  readonly clock: Clock;
  readonly settleMs: number;
  /** Gives inode numbers, one series for all folders of one device. */
  readonly nextInode: () => number;
}

/** A folder in memory that behaves as one on disk does: inodes, change times, settling. */
export function simulatedFolder({ name, clock, settleMs, nextInode }: Options): SimulatedFolder {
  const files = new Map<string, SimulatedFile>();
  const outside = new Map<string, SimulatedFile>();
  let root = { path: `/${name}`, dev: 1, ino: nextInode() };
  let listener: FolderListener | null = null;
  let isAway = false;
  let known = new Set<string>(['']);

  function statOf(content: string, before: FileStat | null, reused?: number): FileStat {
    const now = clock.now();
    const ino = before?.ino ?? reused ?? nextInode();
    const birthtimeMs = before?.birthtimeMs ?? now;
    return { size: content.length, mtimeMs: now, ctimeMs: now, birthtimeMs, ino, dev: 1 };
  }

  function fingerprintOf(file: SimulatedFile): string {
    return JSON.stringify(file.metadata);
  }

  function scan(cause: DirectoryScan['cause'] = 'event', isWhole = true): void {
    if (isAway) return;
    const directories = new Set<string>(['']);
    for (const path of files.keys()) {
      for (let at = directoryOf(path); at !== ''; at = directoryOf(at)) directories.add(at);
    }
    for (const directory of [...directories].sort()) {
      const inside = [...files].filter(
        ([path, { content }]) => directoryOf(path) === directory && content !== '',
      );
      listener?.directory({
        folder: name,
        directory,
        cause,
        entries: inside.map(([path, file]) => ({
          name: nameOf(path),
          stat: file.stat,
          fingerprint: fingerprintOf(file),
        })),
        skips: [],
        identity: directory === '' ? { ...root, birthtimeMs: 0 } : { dev: 1, ino: 0, birthtimeMs: 0 },
        leftOut: '',
        subdirectories: [...directories]
          .filter((one) => one !== '' && directoryOf(one) === directory)
          .map(nameOf),
      });
    }
    known = directories;
    if (isWhole) listener?.scanned(root, []);
  }

  function look(path: string): Inspection {
    if (isAway) return { kind: 'unknown', code: 'folder-missing', message: 'it does not exist' };
    const file = files.get(path);
    if (file === undefined) return { kind: 'absent', device: 1 };
    if (file.content === '') return { kind: 'skipped', code: 'empty-file', message: 'it is empty' };
    if (nameOf(path).split('.').length > 2) {
      return { kind: 'unfit', code: 'double-extension', message: 'its name has two dots' };
    }
    const age = clock.monotonic() - file.writtenAt;
    if (age < settleMs) return { kind: 'settling', againMs: settleMs - age };
    return {
      kind: 'document',
      document: {
        ref: { folder: name, path },
        stat: file.stat,
        fingerprint: fingerprintOf(file),
        fileName: nameOf(path),
        metadata: { title: nameOf(path), ...file.metadata },
        attachments: [],
      },
    };
  }

  return {
    name,
    path: root.path,
    start: (given) => {
      listener = given;
      scan('start');
      return Promise.resolve();
    },
    rescan: (cause) => {
      scan(cause);
      return Promise.resolve();
    },
    inspect: (path) => Promise.resolve(look(path)),
    attaches: () => Promise.resolve('gone'),
    find: (wanted) =>
      Promise.resolve(
        isAway
          ? null
          : {
              files: [...files].flatMap(([path, { stat }]) =>
                wanted.some((one) => sameFile(one, stat)) ? [{ path, stat, isNamed: true }] : [],
              ),
              unreadable: [],
              unlisted: [],
              look: null,
            },
      ),
    mounts: () => Promise.resolve([]),
    rootNow: () => Promise.resolve(root),
    missingPart: () => Promise.resolve(null),
    hash: (path, stat) => {
      const file = files.get(path);
      return Promise.resolve(file !== undefined && sameStat(file.stat, stat) ? sha256Of(file.content) : null);
    },
    open: (path, stat) => {
      const file = files.get(path);
      if (file === undefined || !sameStat(file.stat, stat)) {
        return Promise.reject(new ContentChangedError(`${path} is another file now`));
      }
      const { content } = file;
      return Promise.resolve({
        path,
        stat: file.stat,
        size: content.length,
        stream: () => Readable.from([Buffer.from(content)]),
        sha256: () => sha256Of(content),
        close: () => Promise.resolve(),
      });
    },
    health: () => ({
      state: 'watching',
      watches: known.size,
      attached: 0,
      reasons: [],
      busy: false,
      coveredUntil: Infinity,
    }),
    close: () => Promise.resolve(),
    write: (path, content, ino) => {
      const before = files.get(path);
      files.set(path, {
        content,
        writtenAt: clock.monotonic(),
        stat: statOf(content, before?.stat ?? null, ino),
        metadata: before?.metadata ?? {},
      });
    },
    rename: (from, to) => {
      for (const [path, file] of Array.from(files)) {
        if (path !== from && !path.startsWith(`${from}/`)) continue;
        files.delete(path);
        const moved = path === from ? to : joinPath(to, path.slice(from.length + 1));
        files.set(moved, { ...file, stat: { ...file.stat, ctimeMs: clock.now() } });
      }
    },
    link: (from, to) => {
      const file = files.get(from);
      if (file !== undefined) files.set(to, { ...file });
    },
    remove: (path) => {
      for (const one of files.keys()) if (one === path || one.startsWith(`${path}/`)) files.delete(one);
    },
    takeAway: (path) => {
      const file = files.get(path);
      if (file === undefined) return;
      files.delete(path);
      outside.set(path, file);
    },
    bringBack: (path, to) => {
      const file = outside.get(path);
      if (file === undefined) return;
      outside.delete(path);
      files.set(to, { ...file, stat: { ...file.stat, ctimeMs: clock.now() } });
    },
    describe: (path, metadata) => {
      const file = files.get(path);
      if (file !== undefined) file.metadata = metadata;
    },
    scan,
    contents: () => new Map([...files].map(([path, { content }]) => [path, content])),
    stats: () => new Map([...files].map(([path, { stat }]) => [path, stat])),
    setAway: (away) => {
      isAway = away;
    },
    replaceRoot: () => {
      root = { ...root, ino: nextInode() };
    },
  };
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
