import { join } from 'node:path';

import type { Clock } from '../lib/time/clock.ts';
import { takeProcessLock } from '../lib/process/process-lock.ts';
import type { ProcessLock } from '../lib/process/process-lock.ts';
import { StateLockedError } from '../model/errors.ts';
import { unwritable } from './journal/journal-writer.ts';

/**
 * Holds a state directory for this process. A StateLockedError names who holds it; LedgerUnwritableError when the lock
 * cannot be written.
 */
export async function takeStateLock(
  dir: string,
  clock: Clock,
  { silenceMs }: { readonly silenceMs?: number } = {},
): Promise<ProcessLock> {
  const path = join(dir, 'lock');
  const since = new Date(clock.now()).toISOString();
  const attempt = await takeProcessLock(path, { since, silenceMs }).catch((error: unknown) => {
    throw unwritable(path, error);
  });
  if (attempt.kind === 'taken') return attempt.lock;
  const { pid, host, since: held } = attempt.holder;
  const doubt = attempt.isCertain ? '' : ` If that process is gone, remove ${path}.`;
  throw new StateLockedError(
    `Another ingestd holds the state directory ${dir}: process ${pid} on ${host}, since ${held}. Stop it first; with another state.dir every document would be uploaded a second time.${doubt}`,
  );
}
