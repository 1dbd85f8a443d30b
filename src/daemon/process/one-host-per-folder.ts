import type { LogPort } from '../../model/ports/log-port.ts';
import { errorMessage } from '../../model/errors.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { FolderHolder } from '../../cluster/lease/lease-script.ts';
import type { DirectoryLocation } from '../../cluster/lease/directory-location.ts';
import type { Place } from './join-cluster.ts';

/**
 * Folders in the order of the settings; nothing is found in one that another host sends from another state directory,
 * whole or in part: it is unavailable until that host stops, and begins then.
 */
export function guardOneHostPerFolder<T extends FolderPort>(
  folders: readonly T[],
  { lease, locations }: Place,
  log: LogPort,
): readonly T[] {
  return folders.map((port, index) => {
    const location = locations[index] ?? null;
    return location === null ? port : guardFolder(port, { lease, location, log });
  });
}

function guardFolder<T extends FolderPort>(
  port: T,
  {
    lease,
    location,
    log,
  }: { readonly lease: Place['lease']; readonly location: DirectoryLocation; readonly log: LogPort },
): T {
  let isStarted = false;
  const holder = () => lease.folderHolder(location);
  return {
    ...port,
    start: async (listener) => {
      const begin = async () => {
        if (isStarted || holder() !== null) return;
        isStarted = true;
        await port.start(listener);
      };
      lease.listen(() => {
        begin().catch((error: unknown) =>
          log.error({ folder: port.name, error: errorMessage(error) }, 'folder could not be started'),
        );
      });
      await begin();
    },
    rescan: async (cause) => (isStarted ? port.rescan(cause) : undefined),
    inspect: async (path, known) => {
      const other = holder();
      return other === null ? port.inspect(path, known) : { kind: 'unknown', ...elsewhere(other) };
    },
    find: async (files) => (holder() === null ? port.find(files) : null),
    health: () => {
      const other = holder();
      if (other === null) return port.health();
      // Redis does not say yet whose it is.
      if (other.host === '') return { ...port.health(), state: 'scanning' };
      return { ...port.health(), state: 'unavailable', reasons: [elsewhere(other)] };
    },
  };
}

function elsewhere({ host, where }: FolderHolder): { readonly code: string; readonly message: string } {
  const sender = host === '' ? 'another host' : host;
  const sent = {
    same: 'this folder',
    inside: 'a folder inside this one',
    around: 'a folder around this one',
  };
  return {
    code: 'folder-elsewhere',
    message: `${sender} sends ${sent[where]}, with another state directory`,
  };
}
