import { chmod, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { temporarySuffix } from '../../lib/files/durable-file.ts';
import { makeDirectory } from '../../lib/files/make-directory.ts';
import { takeProcessLock } from '../../lib/process/process-lock.ts';
import { ConfigurationError, StateLockedError } from '../../model/errors.ts';

/** Where the service keeps what; all absolute, all for its owner alone. */
export type DataDirectory = Awaited<ReturnType<typeof takeDataDirectory>>;

/** What the service itself puts there before its credentials, and what a file system of its own holds. */
const beginnings = /^(?:lock.*|content|documents.*|identity.*|lost\+found)$/;

/**
 * Makes the data directory, 0700, or takes over one that a service made, and holds it for this process; what an
 * interrupted run left half written is removed. Throws StateLockedError while another holds it; ConfigurationError for
 * another user's, who could read what is sent, and for one that holds other files, which would be locked away or removed.
 */
export async function takeDataDirectory(root: string) {
  await claim(root);
  const attempt = await takeProcessLock(join(root, 'lock'), { since: new Date().toISOString() });
  if (attempt.kind !== 'taken') {
    const { pid } = attempt.holder;
    throw new StateLockedError(`the embedded service's data in ${root} is in use by process ${pid}`);
  }
  /** Lets go of it. */
  const { release } = attempt.lock;
  /** Bytes of documents and attachments, one file each, under names of the service's own. */
  const content = join(root, 'content');
  try {
    await makeDirectory(content, 0o700);
    for (const name of await readdir(root)) {
      if (name.endsWith(temporarySuffix)) await rm(join(root, name), { force: true });
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { content, release, join: (name: string) => join(root, name) };
}

async function claim(root: string): Promise<void> {
  await makeDirectory(root, 0o700);
  const own = process.geteuid?.();
  const { uid } = await stat(root);
  if (own !== undefined && uid !== own) {
    throw new ConfigurationError(
      `${root} belongs to another user (uid ${uid}; ingestd runs as uid ${own}), who could read what is sent; name another directory`,
    );
  }
  const other = (await readdir(root)).find((name) => !beginnings.test(name));
  if (other !== undefined) {
    throw new ConfigurationError(
      `${root} holds other files (${other}); the embedded service needs a directory of its own`,
    );
  }
  await chmod(root, 0o700);
}
