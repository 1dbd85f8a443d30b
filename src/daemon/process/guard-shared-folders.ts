import type { FolderOwner, FolderOwnersView } from '../../cluster/folders/folder-owners.ts';
import { errorMessage } from '../../model/errors.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Reason } from '../../model/report/status.ts';

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
    let isStarted = false;
    const foreign = (): Reason | null => {
      const owner = owners.ownerOf(port.name);
      return owner === null ? null : { code: 'folder-elsewhere', message: elsewhereWords(owner) };
    };
    const inTheWay = async (): Promise<Reason | null> => {
      const root = await port.rootNow().catch(() => null);
      return root === null || owners.isAt(port.name, root) ? foreign() : notKnown(port);
    };
    return {
      ...port,
      start: async (listener) => {
        const begin = async () => {
          if (foreign() !== null) return;
          if (isStarted) return port.rescan('rescan');
          isStarted = true;
          await port.start(listener);
        };
        owners.listen(() => {
          begin().catch((error: unknown) =>
            log.error({ folder: port.name, error: errorMessage(error) }, 'folder could not be started'),
          );
        });
        await begin();
      },
      rescan: async (cause) => (isStarted ? port.rescan(cause) : undefined),
      inspect: async (path) => {
        const reason = await inTheWay();
        return reason === null ? port.inspect(path) : { kind: 'unknown', ...reason };
      },
      find: async (files, since) => {
        // What comes to a folder of another host is that one's.
        if (foreign() !== null) return { files: [], unreadable: [] };
        return (await inTheWay()) === null ? port.find(files, since) : null;
      },
      health: () => {
        const reason = foreign();
        return reason === null
          ? port.health()
          : { ...port.health(), state: 'unavailable', reasons: [reason] };
      },
    };
  });
}

function notKnown({ path }: Pick<FolderPort, 'path'>): Reason {
  return { code: 'folder-changed', message: `${path} is another directory than before` };
}

/** A host that is there says what it has every minute. */
const hereMs = 150_000;

/** `folder`: its name, where it does not stand beside the message. */
export function elsewhereWords({ host, agoMs }: FolderOwner, folder?: string): string {
  const what = folder === undefined ? 'this folder' : `the folder ${JSON.stringify(folder)}`;
  if (agoMs < hereMs) return `${host} sends ${what}, with another state directory`;
  const until = new Date(Date.now() - agoMs).toISOString();
  return `${host} had ${what} until ${until}, with another state directory; the folder is free a day after that, or when ${host} is started without it`;
}
