import { statSync, writeSync } from 'node:fs';
import { constants, link, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import { syncDirectory } from '../lib/files/durable-file.ts';

const MODE = 0o600;
const MODE_BITS = 0o777;
/** Copying so few bytes into the page cache takes less time than asking another thread to do it. */
const SMALL_BYTES = 16 * 1024;

/** A file that is written at places the caller names. */
export interface DiskFile {
  /** Writes all the bytes, or rejects; then some of them may be there. */
  readonly write: (bytes: Uint8Array, position: number) => Promise<void>;
  /** Resolves when the content is on the medium. */
  readonly sync: () => Promise<void>;
  readonly truncate: (size: number) => Promise<void>;
  /** Says whether its path still leads to it. Asks the file system at once: a few microseconds. */
  readonly isInPlace: () => boolean;
  readonly close: () => Promise<void>;
}

/** All that the ledger does to its directory, so that a test can fail or forget any step of it. */
export interface Disk {
  /** A new and empty file, or an old one made empty; 0600 whatever the umask. */
  readonly create: (path: string) => Promise<DiskFile>;
  /** A file that is there, to be written on. */
  readonly open: (path: string) => Promise<DiskFile>;
  readonly rename: (from: string, to: string) => Promise<void>;
  /** A second name for a file. */
  readonly link: (from: string, to: string) => Promise<void>;
  /** No error when there is no such file. */
  readonly remove: (path: string) => Promise<void>;
  /** Resolves when names in the directory are on the medium. */
  readonly syncDirectory: (path: string) => Promise<void>;
}

/** The real one. It follows no link: one that somebody put there could lead a write to any file. */
export const realDisk: Disk = {
  create: async (path) => {
    const handle = await open(
      path,
      constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW,
      MODE,
    );
    const { mode } = await handle.stat();
    if ((mode & MODE_BITS) !== MODE) await handle.chmod(MODE);
    return openFile(path, handle);
  },
  open: async (path) => openFile(path, await open(path, constants.O_WRONLY | constants.O_NOFOLLOW)),
  rename,
  link,
  remove: (path) => rm(path, { force: true }),
  syncDirectory,
};

async function openFile(path: string, handle: FileHandle): Promise<DiskFile> {
  const { dev, ino } = await handle.stat();
  return {
    write: async (bytes, position) => {
      if (bytes.byteLength <= SMALL_BYTES) {
        const written = writeSync(handle.fd, bytes, 0, bytes.byteLength, position);
        if (written === bytes.byteLength) return;
      }
      for (let done = 0; done < bytes.byteLength;) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.byteLength - done, position + done);
        done += bytesWritten;
      }
    },
    sync: () => handle.datasync(),
    truncate: (size) => handle.truncate(size),
    isInPlace: () => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found !== undefined && found.ino === ino && found.dev === dev;
    },
    close: () => handle.close(),
  };
}
