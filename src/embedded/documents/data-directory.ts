import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { temporarySuffix } from '../../lib/files/durable-file.ts';
import { takeProcessLock } from '../../lib/process/process-lock.ts';
import { StateLockedError } from '../../model/errors.ts';

/** Where the service keeps what; all absolute, all for its owner alone. */
export interface DataDirectory {
  readonly root: string;
  /** Bytes of documents and attachments, one file each, under names of the service's own. */
  readonly content: string;
  /** Bytes that are still arriving. */
  readonly incoming: string;
  readonly join: (name: string) => string;
}

/** Makes the data directory (0700) and removes what an interrupted run left half written. */
export async function openDataDirectory(root: string): Promise<DataDirectory> {
  const content = join(root, 'content');
  const incoming = join(root, 'incoming');
  await rm(incoming, { recursive: true, force: true });
  for (const directory of [root, content, incoming]) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await chmod(directory, 0o700);
  }
  for (const name of await readdir(root)) {
    if (name.endsWith(temporarySuffix)) await rm(join(root, name), { force: true });
  }
  return { root, content, incoming, join: (name) => join(root, name) };
}

/** Holds the data directory for this process; what it returns lets go. Throws StateLockedError while another holds it. */
export async function lockData(root: string): Promise<() => Promise<void>> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const attempt = await takeProcessLock(join(root, 'lock'), { since: new Date().toISOString() });
  if (attempt.kind === 'taken') return attempt.lock.release;
  const { pid } = attempt.holder;
  throw new StateLockedError(`the embedded service's data in ${root} is in use by process ${pid}`);
}
