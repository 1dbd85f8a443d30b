import { constants } from 'node:fs';

import { fileError } from './file-error.ts';
import type { FileStats } from './file-stats.ts';
import { openHandle } from './file-handle.ts';
import type { Inode } from './inode.ts';
import type { MemoryDisk } from './memory-disk.ts';
import { nameBytes, namesOf } from './name-bytes.ts';
import { OpenFiles } from './open-files.ts';

/** What stands between a process and its disk. */
export interface DiskManners {
  /** Called at each system call; throws where it fails. `path` is absolute. */
  readonly onCall: (syscall: string, path: string) => void;
  /** How many of so many bytes are written at a time. */
  readonly takes: (path: string, bytes: number) => number;
  /** How long one that is waited for takes. */
  readonly wait: (syscall: string, path: string) => Promise<void>;
  readonly watch: (directory: Inode, listener: (kind: string, name: string) => void) => { close: () => void };
}

/** A disk that never fails and takes no time. */
const plainManners: DiskManners = {
  onCall: () => {},
  takes: (_, bytes) => bytes,
  wait: async () => {},
  watch: () => ({ close: () => {} }),
};

type Path = string | Buffer | URL;
type Encoded =
  { readonly encoding?: string | null; readonly withFileTypes?: boolean } | string | null | undefined;

export type MemoryFs = ReturnType<typeof createMemoryFs>;

/** The functions of `node:fs` on a disk in memory, as far as ingestd calls them. */
export function createMemoryFs(disk: MemoryDisk, manners: DiskManners = plainManners) {
  const files = new OpenFiles(disk);

  function call<T>(syscall: string, path: Path, act: (path: string) => T): T {
    const text = pathText(path);
    return disk.guarded(() => {
      manners.onCall(syscall, text);
      return act(text);
    });
  }

  function statOr(path: Path, follow: boolean, options?: { readonly throwIfNoEntry?: boolean }) {
    const syscall = follow ? 'stat' : 'lstat';
    return call(syscall, path, (at) => {
      const inode = disk.seek(at, { follow, syscall });
      if (inode !== null) return disk.stats(inode);
      if (options?.throwIfNoEntry === false) return undefined;
      throw fileError('ENOENT', syscall, at);
    });
  }

  /** `/proc/self/fd/N` of a file of ours. */
  function descriptorIn(path: Path): number | null {
    const number = Number(/^\/proc\/self\/fd\/(\d+)$/.exec(pathText(path))?.[1] ?? -1);
    return files.holds(number) ? number : null;
  }

  const sync = {
    lstatSync: (path: Path, options?: { readonly throwIfNoEntry?: boolean }) => statOr(path, false, options),
    statSync: (path: Path, options?: { readonly throwIfNoEntry?: boolean }) => statOr(path, true, options),
    fstatSync: (fd: number) => files.stats(fd),
    openSync: (path: Path, flags?: number | string, mode?: number) =>
      call('open', path, (at) => files.open(at, flags, mode).fd),
    closeSync: (fd: number) => files.close(fd),
    readSync: (fd: number, into: Uint8Array, offset: number, length: number, position: number | null) => {
      manners.onCall('read', files.path(fd));
      return files.read(fd, into, { offset, length, position });
    },
    writeSync: (
      fd: number,
      bytes: Uint8Array,
      offset = 0,
      length = bytes.length,
      position: number | null = null,
    ) => {
      const path = files.path(fd);
      manners.onCall('write', path);
      return files.write(fd, bytes.subarray(offset, offset + manners.takes(path, length)), position);
    },
    readdirSync: (path: Path, options?: Encoded & { readonly withFileTypes?: true }) =>
      call('scandir', path, (at) => {
        const fd = descriptorIn(at);
        const directory =
          fd === null ? disk.find(at, { syscall: 'scandir' }) : files.get(fd, 'scandir').inode;
        const names = disk.list(directory, at);
        if (typeof options === 'object' && options?.withFileTypes === true)
          return [...directory.entries.values()].map(({ name, inode }) =>
            Object.assign(disk.stats(inode), { name }),
          );
        const { encoding } = typeof options === 'string' ? { encoding: options } : (options ?? {});
        const bytes = names.map(nameBytes);
        return encoding === 'buffer' ? bytes : bytes.map(String);
      }),
    readlinkSync: (path: Path) => {
      const fd = descriptorIn(path);
      if (fd !== null) return files.path(fd);
      return call('readlink', path, (at) => {
        const inode = disk.find(at, { follow: false, syscall: 'readlink' });
        if (inode.kind !== 'link') throw fileError('EINVAL', 'readlink', at);
        return inode.target;
      });
    },
    realpathSync: Object.assign((path: Path) => call('realpath', path, (at) => disk.realPath(at)), {
      native: (path: Path) => call('realpath', path, (at) => disk.realPath(at)),
    }),
    accessSync: (path: Path, mode = constants.F_OK) =>
      call('access', path, (at) => {
        const inode = disk.find(at, { syscall: 'access' });
        const wanted =
          ((mode & constants.R_OK) === 0 ? 0 : 0o400) | ((mode & constants.X_OK) === 0 ? 0 : 0o100);
        if ((inode.mode & wanted) !== wanted) throw fileError('EACCES', 'access', at);
      }),
    existsSync: (path: Path) => {
      try {
        return sync.statSync(path) !== undefined;
      } catch {
        return false;
      }
    },
    statfsSync: (path: Path) =>
      call('statfs', path, (at) => ({ type: disk.find(at).system.habits.type.magic })),
    readFileSync: (path: Path, options?: Encoded) => {
      const fd = sync.openSync(path, 'r');
      try {
        const { inode } = files.get(fd, 'read');
        if (inode.kind === 'directory') throw fileError('EISDIR', 'read');
        manners.onCall('read', pathText(path));
        return encoded(Buffer.from(inode.content), options);
      } finally {
        sync.closeSync(fd);
      }
    },
    writeFileSync: (
      path: Path,
      data: string | Uint8Array,
      options?: { readonly mode?: number; readonly flag?: string },
    ) => {
      const fd = sync.openSync(path, options?.flag ?? 'w', options?.mode);
      try {
        const bytes = Buffer.from(data as string);
        let done = 0;
        do done += sync.writeSync(fd, bytes, done);
        while (done < bytes.length);
      } finally {
        sync.closeSync(fd);
      }
    },
    appendFileSync: (path: Path, data: string | Uint8Array, options?: { readonly mode?: number }) =>
      sync.writeFileSync(path, data, { ...options, flag: 'a' }),
    truncateSync: (path: Path, size = 0) => {
      const fd = sync.openSync(path, 'r+');
      files.truncate(fd, size);
      sync.closeSync(fd);
    },
    mkdirSync: (path: Path, options?: { readonly mode?: number } | number) =>
      call('mkdir', path, (at) => {
        const mode = (typeof options === 'number' ? options : options?.mode) ?? 0o777;
        disk.make(at, 'directory', { mode: mode & ~process.umask(), syscall: 'mkdir' });
      }),
    chmodSync: (path: Path, mode: number) =>
      call('chmod', path, (at) => disk.changed(at, (inode) => (inode.mode = mode))),
    rmSync: (path: Path, options?: { readonly force?: boolean; readonly recursive?: boolean }) => {
      try {
        call('unlink', path, (at) => (options?.recursive === true ? disk.removeAll(at) : disk.remove(at)));
      } catch (error) {
        if (options?.force !== true || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    },
    watch: (path: Path, listener: (kind: string, name: string) => void) =>
      call('watch', path, (at) => {
        const { close } = manners.watch(disk.find(at, { syscall: 'watch' }), listener);
        return { close, on: () => {}, unref: () => {} };
      }),
  };

  /** The same, which takes its time first. */
  function later<A extends readonly [Path, ...unknown[]], T>(syscall: string, act: (...args: A) => T) {
    return async (...args: A): Promise<T> => {
      await manners.wait(syscall, pathText(args[0]));
      return act(...args);
    };
  }

  const promises = {
    stat: later('stat', (path: Path) => sync.statSync(path) as FileStats),
    lstat: later('lstat', (path: Path) => sync.lstatSync(path) as FileStats),
    readdir: later('scandir', sync.readdirSync),
    readlink: later('readlink', sync.readlinkSync),
    realpath: later('realpath', sync.realpathSync),
    access: later('access', sync.accessSync),
    chmod: later('chmod', sync.chmodSync),
    rm: later('unlink', sync.rmSync),
    mkdir: later('mkdir', sync.mkdirSync),
    readFile: later('read', sync.readFileSync),
    writeFile: later('write', sync.writeFileSync),
    rename: later('rename', (from: Path, to: Path) =>
      call('rename', from, (at) => disk.rename(at, pathText(to))),
    ),
    link: later('link', (from: Path, to: Path) => call('link', from, (at) => disk.link(at, pathText(to)))),
    copyFile: later('copyfile', (from: Path, to: Path, mode: number = 0) => {
      const source = sync.openSync(from, 'r');
      try {
        const { inode } = files.get(source, 'copyfile');
        const flag = (mode & constants.COPYFILE_EXCL) === 0 ? 'w' : 'wx';
        sync.writeFileSync(to, '', { flag, mode: inode.mode });
        if (inode.kind === 'file') return sync.writeFileSync(to, inode.content);
        sync.rmSync(to);
        throw fileError('EISDIR', 'copyfile', pathText(from));
      } finally {
        sync.closeSync(source);
      }
    }),
    utimes: later('utime', (path: Path, _: unknown, modified: number | Date) =>
      call('utime', path, (at) =>
        disk.changed(
          at,
          (inode) => (inode.mtimeMs = typeof modified === 'number' ? modified * 1000 : modified.getTime()),
        ),
      ),
    ),
    open: later('open', (path: Path, flags?: number | string, mode?: number) =>
      openHandle(
        files,
        call('open', path, (at) => files.open(at, flags, mode)),
        manners,
      ),
    ),
  };

  return { sync, promises, files };
}

function encoded(bytes: Buffer, options: Encoded): string | Buffer {
  const encoding = typeof options === 'string' ? options : options?.encoding;
  return encoding === null || encoding === undefined ? bytes : bytes.toString(encoding as BufferEncoding);
}

export function pathText(path: Path): string {
  return typeof path === 'string' ? path : path instanceof URL ? path.pathname : namesOf(path);
}
