import type { FolderLocation } from '../../cluster/lease/directory-location.ts';
import type { Lease } from '../../cluster/lease/lease.ts';
import type { FolderHolder } from '../../cluster/lease/lease-script.ts';
import { isDirectory } from '../../lib/files/make-directory.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { errorMessage } from '../../model/errors.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { rootTrouble } from '../../scan/walk/root-identity.ts';

/** Whose the folders are that a host has in its configuration. */
export interface FolderPlaces {
  readonly lease: Pick<Lease, 'folderHolder' | 'listen'>;
  /** In the order of the settings, as they were when it was asked whose they are. */
  readonly locations: readonly FolderLocation[];
  /** A folder lies elsewhere by now, or is there at last: it has to be asked whose it is. */
  readonly noteMoved: () => void;
}

type There = Extract<FolderLocation, { readonly kind: 'there' }>;
type Missing = Extract<FolderLocation, { readonly kind: 'missing' }>;

/** How often it is looked whether a folder is where it was. */
const lookMs = 1_000;

/**
 * Folders in the order of the settings; nothing is found in one that belongs to another ledger, whole or in part: it is
 * unavailable until that ledger gives it up, and begins then. Nor is anything found in a directory whose owner is not
 * known: one that was not there when that was asked, or was another one.
 */
export function guardOneLedgerPerFolder<T extends FolderPort>(
  folders: readonly T[],
  places: FolderPlaces,
  log: LogPort,
): readonly T[] {
  return folders.map((port, index) => {
    const location = places.locations[index];
    if (location?.kind === 'there') return guarded(port, location, places, log);
    return location?.kind === 'missing' ? awaited(port, location, places, log) : port;
  });
}

/** A folder that another ledger may have. */
function guarded<T extends FolderPort>(
  port: T,
  { place, root }: There,
  { lease, noteMoved }: FolderPlaces,
  log: LogPort,
): T {
  let isStarted = false;
  const holder = () => lease.folderHolder(place);
  /** Something may have been mounted there since. */
  const isSame = async () => {
    const now = await port.rootNow().catch(() => null);
    return now === null || (now.dev === root.dev && now.ino === root.ino);
  };
  const lookout = createLookout(async () => !(await isSame()), noteMoved);
  return {
    ...port,
    start: async (listener) => {
      lookout.begin();
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
      if (other !== null) return { kind: 'unknown', ...elsewhere(other) };
      if (await isSame()) return port.inspect(path, known);
      noteMoved();
      return { kind: 'unknown', ...anotherDirectory(port) };
    },
    find: async (files) => (holder() === null && (await isSame()) ? port.find(files) : null),
    health: () => {
      const other = holder();
      if (other === null) return port.health();
      // Redis does not say yet whose it is.
      if (other.host === '') return { ...port.health(), state: 'scanning' };
      return { ...port.health(), state: 'unavailable', reasons: [elsewhere(other)] };
    },
    close: () => {
      lookout.close();
      return port.close();
    },
  };
}

/** A folder that is not there: when it is, it is to be asked whose it is. */
function awaited<T extends FolderPort>(
  port: T,
  { code }: Missing,
  { noteMoved }: FolderPlaces,
  log: LogPort,
): T {
  const reason = rootTrouble(port.path, code);
  const lookout = createLookout(() => isDirectory(port.path), noteMoved);
  return {
    ...port,
    start: async () => {
      log.warn({ folder: port.name, code: reason.code, reason: reason.message }, 'folder unavailable');
      lookout.begin();
    },
    rescan: async () => {},
    inspect: async () => ({ kind: 'unknown', ...reason }),
    find: async () => null,
    health: () => ({ ...port.health(), state: 'unavailable', reasons: [reason] }),
    close: () => {
      lookout.close();
      return port.close();
    },
  };
}

/** Looks again and again whether a folder has moved, and says so. */
function createLookout(hasMoved: () => Promise<boolean>, noteMoved: () => void) {
  let isClosed = false;
  let cancel = () => {};
  const look = async (): Promise<void> => {
    if (await hasMoved()) noteMoved();
    if (!isClosed) cancel = systemClock.after(lookMs, () => void look());
  };
  return {
    begin: () => void look(),
    close: () => {
      isClosed = true;
      cancel();
    },
  };
}

function anotherDirectory({ path }: Pick<FolderPort, 'path'>) {
  return { code: 'folder-changed', message: `${path} is another directory than before` };
}

function elsewhere(holder: FolderHolder): { readonly code: string; readonly message: string } {
  const known = holder.host === '' ? { ...holder, host: 'another host', isRunning: true } : holder;
  return { code: 'folder-elsewhere', message: elsewhereWords(known) };
}

/** `name`: of the folder, where it does not stand beside it. */
export function elsewhereWords({ host, where, isRunning }: FolderHolder, name = ''): string {
  const folder = name === '' ? 'this folder' : `the folder${name}`;
  const around = name === '' ? 'this one' : `the folder${name}`;
  const sent = { same: folder, inside: `a folder inside ${around}`, around: `a folder around ${around}` }[
    where
  ];
  return isRunning
    ? `${host} sends ${sent}, with another state directory`
    : `${host} has sent ${sent}, with another state directory, and is not running; if that state directory is gone for good, run ingestd fleet forget ${host}`;
}
