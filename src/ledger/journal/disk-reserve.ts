import { randomBytes } from 'node:crypto';

import type { Disk } from '../disk-operations.ts';
import { unwritable } from '../ledger-errors.ts';

/** What came of a few requests takes a kilobyte each; only large metadata takes more. */
const reservedBytes = 128 * 1024;

export type DiskReserve = ReturnType<typeof createDiskReserve>;

/** A file that keeps room on the disk: where the disk is full, what has to be written down takes its place. */
export function createDiskReserve(disk: Disk, path: string) {
  let isKept = false;

  async function fill(): Promise<void> {
    const file = await disk.create(path);
    try {
      // Random: a file system that compresses would keep no room for zeros.
      await file.write(randomBytes(reservedBytes), 0);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  return {
    /** Makes the file where there is none. LedgerUnwritableError: the disk has no room for it. */
    keep: async (): Promise<void> => {
      if (isKept) return;
      try {
        await fill();
        isKept = true;
      } catch (error) {
        await disk.remove(path).catch(() => undefined);
        throw unwritable(path, error);
      }
    },
    /** Removes the file, so that its room can be used; false: there was none, or it cannot be removed. */
    giveUp: async (): Promise<boolean> => {
      if (!isKept) return false;
      isKept = false;
      return disk.remove(path).then(
        () => true,
        () => false,
      );
    },
  };
}
