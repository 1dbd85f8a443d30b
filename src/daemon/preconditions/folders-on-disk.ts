import { stat } from 'node:fs/promises';

import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import type { Reason } from '../../model/report/status.ts';
import type { Settings } from '../../model/settings.ts';
import { ConfigurationError, errorCode, readFaultOf } from '../../model/errors.ts';

/** A folder that was never there is a mistake; one that is gone is waited for. Throws ConfigurationError. */
export async function requireFolders(
  { folders }: Pick<Settings, 'folders'>,
  ledger: Pick<LedgerPort, 'count'>,
): Promise<void> {
  for (const { name, path } of folders) {
    // What cannot be looked at now may be one.
    const mayBe = stat(path).then(
      (stats) => stats.isDirectory(),
      (error: unknown) => readFaultOf(errorCode(error)) !== 'gone',
    );
    if (ledger.count(name) > 0 || (await mayBe)) continue;
    throw new ConfigurationError(
      `the folder "${name}": ${path} does not exist; create it, mount it, or correct folders[].path`,
    );
  }
}

/** Whether a reason is of a folder that was never there: it is no folder that comes back. */
export function isOfNoFolder({ code, folder = '' }: Reason, ledger: Pick<LedgerPort, 'count'>): boolean {
  return code === 'folder-missing' && ledger.count(folder) === 0;
}
