import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { realDisk } from './disk.ts';
import { unwritable } from './journal/journal-writer.ts';

const MODE = 0o700;
const MODE_BITS = 0o777;

/**
 * Makes the state directory where there is none, durable, and its owner's alone whatever the umask. LedgerUnwritableError
 * when that cannot be done.
 */
export async function prepareDirectory(dir: string): Promise<void> {
  try {
    const first = await mkdir(dir, { recursive: true, mode: MODE });
    if (first !== undefined) await syncParents(dir, dirname(first));
    const { mode } = await stat(dir);
    if ((mode & MODE_BITS) !== MODE && (first !== undefined || (await isOurs(dir)))) await chmod(dir, MODE);
  } catch (error) {
    throw unwritable(dir, error);
  }
}

/** A setting that names /var/lib or /tmp must not lock everybody else out of it. */
async function isOurs(dir: string): Promise<boolean> {
  if (process.getuid?.() !== 0) return (await stat(dir)).uid === process.getuid?.();
  const names = await readdir(dir);
  return names.length === 0 || names.some((name) => name.startsWith('ledger.'));
}

/** A directory that is not on the medium takes the whole ledger with it. */
async function syncParents(dir: string, last: string): Promise<void> {
  for (let parent = dirname(dir); ; parent = dirname(parent)) {
    await realDisk.syncDirectory(parent).catch(() => undefined);
    if (parent === last || parent === dirname(parent)) return;
  }
}
