import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { takeProcessLock } from '../../lib/process/process-lock.ts';
import { StateLockedError } from '../../model/errors.ts';

/** Holds the data directory for this process; what it returns lets go. Throws StateLockedError while another holds it. */
export async function lockData(root: string): Promise<() => Promise<void>> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const attempt = await takeProcessLock(join(root, 'lock'), { since: new Date().toISOString() });
  if (attempt.kind === 'taken') return attempt.lock.release;
  const { pid } = attempt.holder;
  throw new StateLockedError(`the embedded service's data in ${root} is in use by process ${pid}`);
}
