import { stat } from 'node:fs/promises';

import { ConfigurationError } from '../model/errors.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import type { Settings } from '../model/settings.ts';

/**
 * Contract section 7, 2: a folder that was never there is a mistake; one that is gone is waited for. Throws
 * ConfigurationError.
 */
export async function requireFolders(
  { folders }: Pick<Settings, 'folders'>,
  ledger: Pick<LedgerPort, 'count'>,
): Promise<void> {
  for (const { name, path } of folders) {
    if ((await isDirectory(path)) || ledger.count(name) > 0) continue;
    throw new ConfigurationError(
      `the directory ${path} of the folder "${name}" does not exist; create it, mount it, or correct folders[].path`,
    );
  }
}

/** Says whether a directory stands at a path. */
export async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() === true;
}
