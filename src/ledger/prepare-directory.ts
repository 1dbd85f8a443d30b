import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { realDisk } from './disk.ts';
import { unwritable } from './journal-writer.ts';

const MODE = 0o700;
const MODE_BITS = 0o777;

/** Makes the state directory where there is none, durable, and its owner's alone whatever the umask. */
export async function prepareDirectory(dir: string): Promise<void> {
  try {
    const first = await mkdir(dir, { recursive: true, mode: MODE });
    if (first !== undefined) await syncParents(dir, dirname(first));
    const { mode } = await stat(dir);
    if ((mode & MODE_BITS) !== MODE) await chmod(dir, MODE);
  } catch (error) {
    throw unwritable(dir, error);
  }
}

/** A directory that is not on the medium takes the whole ledger with it. */
async function syncParents(dir: string, last: string): Promise<void> {
  for (let parent = dirname(dir); ; parent = dirname(parent)) {
    await realDisk.syncDirectory(parent).catch(() => undefined);
    if (parent === last || parent === dirname(parent)) return;
  }
}
