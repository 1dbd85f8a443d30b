import type { FolderOwnersView } from '../../cluster/folders/folder-owners.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Reason } from '../../model/report/status.ts';
import { guardFolder } from './guard-folder.ts';

/**
 * A folder of which nothing is found while another ledger has it: it is unavailable, and begins when that ledger has
 * given it up. Nor is anything found in a directory whose owner is not known: something was mounted there a moment ago.
 */
export function guardSharedFolder<T extends FolderPort>(port: T, owners: FolderOwnersView, log: LogPort): T {
  const { name, path } = port;
  const reason = () => owners.elsewhere(name);
  const look = async (): Promise<Reason | null> => {
    const root = await port.rootNow().catch(() => null);
    if (root === null || owners.isAt(name, root)) return reason();
    return { code: 'folder-changed', message: `${path} is another directory than before` };
  };
  return guardFolder(port, { reason, look, listen: owners.listen }, log);
}
