import { realpath, stat } from 'node:fs/promises';

import { readMountTable, sharedPlaces } from '../../lib/files/mount-table.ts';
import { pathInside } from '../../lib/files/path-inside.ts';
import { printable } from '../../lib/text/printable.ts';
import { repeat } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { joinPath, sameDirectory } from '../../model/document.ts';
import { errorMessage, isMissing } from '../../model/errors.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Reason } from '../../model/report/status.ts';
import { guardFolder } from './guard-folder.ts';

/** A mount causes no event: this often it is looked whether there are others, */
const everyMs = 2_000;
/** and what is to be sent was looked at no longer ago than this. */
const freshMs = 50;

/**
 * Folders of which nothing is found while one that is configured before them shows the same directory, by way of a mount:
 * such a folder is unavailable, and begins when that has ended. What one of the two ignores is not shown twice.
 */
export function guardTwinFolders<T extends FolderPort>(
  folders: readonly T[],
  { clock, log }: { readonly clock: Pick<Clock, 'monotonic' | 'after'>; readonly log: LogPort },
): readonly T[] {
  if (folders.length < 2) return folders;
  let twins: ReadonlyMap<string, Reason> = new Map();
  let lookedAt = -Infinity;
  let looking: Promise<void> | null = null;
  let cancel = () => {};
  const ends = new Map<string, () => void>();

  async function look(): Promise<void> {
    const at = clock.monotonic();
    const found = await findTwins(folders);
    const ended = [...twins.keys()].filter((name) => !found.has(name));
    twins = found;
    lookedAt = at;
    for (const name of ended) ends.get(name)?.();
  }

  async function lookAgain(): Promise<void> {
    if (clock.monotonic() - lookedAt < freshMs) return;
    looking ??= look().finally(() => (looking = null));
    await looking;
  }

  const complain = (error: unknown) =>
    log.error({ error: errorMessage(error) }, 'mounts could not be compared');
  return folders.map((port) => {
    const { name } = port;
    const reason = () => twins.get(name) ?? null;
    const look = () => lookAgain().then(reason);
    const listen = (freed: () => void) => void ends.set(name, freed);
    const guarded = guardFolder(port, { reason, look, listen }, log);
    return {
      ...guarded,
      start: async (listener) => {
        cancel();
        cancel = repeat(clock, everyMs, () => lookAgain().catch(complain));
        await lookAgain();
        await guarded.start(listener);
      },
      close: async () => {
        cancel();
        ends.clear();
        await port.close();
      },
    };
  });
}

/** The folders that show a directory which one before them shows, by name, with the reason. */
async function findTwins(folders: readonly FolderPort[]): Promise<ReadonlyMap<string, Reason>> {
  const table = readMountTable();
  const twins = new Map<string, Reason>();
  const before: Placed[] = [];
  for (const port of folders) {
    const root = await realpath(port.path).catch((error: unknown) => (isMissing(error) ? null : port.path));
    if (root === null) continue;
    const placed = { port, root };
    const reason = await twinReason(placed, before, table);
    if (reason === null) before.push(placed);
    else twins.set(port.name, reason);
  }
  return twins;
}

interface Placed {
  readonly port: FolderPort;
  readonly root: string;
}

async function twinReason(
  placed: Placed,
  others: readonly Placed[],
  table: ReturnType<typeof readMountTable>,
): Promise<Reason | null> {
  for (const other of others) {
    for (const [here, there] of sharedPlaces(table, placed.root, other.root)) {
      const isShown = (await isListed(placed, here)) && (await isListed(other, there));
      if (!isShown || !(await areSame(here, there))) continue;
      const message = `${printable(here)} is the directory ${printable(there)} of the folder "${other.port.name}", by way of a mount; nothing of this folder is sent, so that no file is sent twice`;
      return { code: 'folder-shown-twice', message };
    }
  }
  return null;
}

const unlistedCodes: ReadonlySet<string> = new Set(['ignore-rule', 'dot-name', 'state-directory']);

/** Whether a directory is one of those in which a folder looks for documents, by its name and the rules. */
async function isListed({ port, root }: Placed, directory: string): Promise<boolean> {
  const path = pathInside(root, directory) ?? '';
  if (path === '') return true;
  const found = await port.inspect(joinPath(path, 'x.txt'));
  return found.kind !== 'ignored' || !unlistedCodes.has(found.code);
}

/** Where one of two cannot be looked at now, the mount table says that they are. */
async function areSame(one: string, other: string): Promise<boolean> {
  const look = (path: string) => stat(path).catch((error: unknown) => (isMissing(error) ? null : 'unseen'));
  const [a, b] = await Promise.all([look(one), look(other)]);
  if (a === null || b === null) return false;
  return typeof a === 'string' || typeof b === 'string' || sameDirectory(a, b);
}
