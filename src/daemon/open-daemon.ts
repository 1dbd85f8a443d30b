import { isDirectory } from '../lib/files/make-directory.ts';
import { openFolder } from '../scan/folder.ts';
import type { Daemon } from './assemble-daemon.ts';
import type { DaemonOptions } from './reach-service.ts';
import { guardFolder } from './process/guard-folder.ts';
import { guardTwinFolders } from './process/guard-twin-folders.ts';

/**
 * Opens the state and every room. Folders are scanned from the beginning, in threads of their own: meanwhile all else
 * is loaded, and the ledger is read. Throws StateLockedError, LedgerDamagedError, ConfigurationError.
 */
export async function openDaemon(options: DaemonOptions): Promise<Daemon> {
  const { settings, log, place = null } = options;
  const all = guardTwinFolders(
    settings.folders.map((folder) => openFolder(folder, options)),
    options,
  );
  const owners = place?.claim(settings.folders) ?? null;
  const folders = owners === null ? all : all.map((folder) => guardFolder(folder, owners.guard(folder), log));
  try {
    for (const folder of folders) if (await isDirectory(folder.path)) folder.prepare();
    const { openParts } = await import('./open-parts.ts');
    return await openParts(options, folders);
  } catch (error) {
    for (const folder of folders) await folder.close();
    throw error;
  }
}
