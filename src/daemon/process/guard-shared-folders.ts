import type { FolderOwner, FolderOwnersView } from '../../cluster/folders/folder-owners.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Reason } from '../../model/report/status.ts';
import { guardFolder } from './guard-folder.ts';

/**
 * Folders of which nothing is found while another ledger has them: such a folder is unavailable, and begins when that
 * ledger has given it up. Nor is anything found in a directory whose owner is not known: something was mounted there a
 * moment ago.
 */
export function guardSharedFolders<T extends FolderPort>(
  folders: readonly T[],
  owners: FolderOwnersView,
  log: LogPort,
): readonly T[] {
  return folders.map((port) => {
    const { name, path } = port;
    const reason = (): Reason | null => {
      const owner = owners.ownerOf(name);
      return owner === null ? null : { code: 'folder-elsewhere', message: elsewhereWords(owner) };
    };
    const look = async (): Promise<Reason | null> => {
      const root = await port.rootNow().catch(() => null);
      if (root === null || owners.isAt(name, root)) return reason();
      return { code: 'folder-changed', message: `${path} is another directory than before` };
    };
    return guardFolder(port, { reason, look, listen: owners.listen }, log);
  });
}

/** A host that is there says what it has every minute. */
const hereMs = 150_000;

/** To stand behind the name of the folder. */
export function elsewhereWords({ host, agoMs }: FolderOwner): string {
  if (agoMs < hereMs) return `${host} sends this folder, with another state directory`;
  const until = new Date(Date.now() - agoMs).toISOString();
  return `${host} had this folder until ${until}, with another state directory; the folder is free a day after that, or when ${host} is started without it`;
}
