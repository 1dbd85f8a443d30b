import { stat } from 'node:fs/promises';

import { countWords } from '../../lib/text/amounts.ts';
import { sameDirectory } from '../../model/document.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import type { FolderSettings, Settings } from '../../model/settings.ts';
import { ConfigurationError, errorCode, readFaultOf } from '../../model/errors.ts';

type Known = Pick<LedgerPort, 'root' | 'count'>;

/**
 * Finds folders that share their records by accident, as two configurations do that name no `state.dir`: the directory
 * that the ledger knows still stands where it was, and the configured one is another. It may be meant: a folder that
 * was copied, and whose `path` was changed after it.
 */
export async function mixedUpFolders(ledger: Known, settings: Settings) {
  const found = [];
  for (const folder of settings.folders) {
    const other = await otherRoot(ledger, folder);
    if (other === null) continue;
    found.push({
      folder: folder.name,
      message:
        `the ledger in ${settings.state.dir} knows this folder as ${other} (${countWords(ledger.count(folder.name), 'document')}), ` +
        `which still exists, but the configuration says ${folder.path}. Files of the same name count as new versions`,
      fix: 'If two configurations share this ledger, give each its own state.dir. If the folder was moved, there is nothing to do.',
    });
  }
  return found;
}

/** Where the ledger's folder still is, when that is not the configured one; null: it is nowhere else. */
async function otherRoot(ledger: Known, { name, path }: FolderSettings): Promise<string | null> {
  const known = ledger.root(name);
  if (known === undefined || known.path === path || ledger.count(name) === 0) return null;
  const there = await stat(known.path).catch(() => null);
  if (there?.isDirectory() !== true || !sameDirectory(there, known)) return null;
  const here = await stat(path).catch(() => null);
  return here !== null && sameDirectory(here, there) ? null : known.path;
}

/**
 * A folder that was never there is a mistake; one that is gone is waited for. Throws
 * ConfigurationError.
 */
export async function requireFolders(
  { folders }: Pick<Settings, 'folders'>,
  ledger: Pick<LedgerPort, 'count'>,
): Promise<void> {
  for (const { name, path } of folders) {
    if (ledger.count(name) > 0 || (await mayBeDirectory(path))) continue;
    throw new ConfigurationError(
      `the directory ${path} of the folder "${name}" does not exist; create it, mount it, or correct folders[].path`,
    );
  }
}

/** What cannot be looked at now may be one. */
async function mayBeDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    return readFaultOf(errorCode(error)) === 'passing';
  }
}
