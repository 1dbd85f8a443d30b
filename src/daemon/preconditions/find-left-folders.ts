import { readdir, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import { pathInside } from '../../lib/files/path-inside.ts';
import { pathAfterMove, sameInode } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import type { LedgerPort, RootIdentity } from '../../model/ports/ledger-port.ts';
import type { Settings } from '../../model/settings.ts';

/** Where a path is now. */
export type Follow = (ref: DocumentRef) => DocumentRef;

/** A folder of the ledger whose documents belong to another name now, or to another place in it. */
export interface LeftFolder {
  readonly name: string;
  /** The root that the ledger knows. */
  readonly known: RootIdentity;
  readonly follow: Follow;
  /** Folders of the configuration that have its documents now, with the root that each is to have. */
  readonly followers: readonly Follower[];
  /** The name under which the ledger keeps what none of them holds; its own, where nobody else uses that. */
  readonly outside: string;
}

interface Follower {
  readonly name: string;
  /** Null: nothing stands there. */
  readonly root: RootIdentity | null;
  /** The directory of the records does not stand there now: its path alone says where it belongs. */
  readonly isAway: boolean;
}

type View = Awaited<ReturnType<typeof viewOf>>;

/** Records below `from` in one folder belong to `to` below another. */
interface Mapping {
  readonly from: string;
  readonly to: DocumentRef;
  /** The directory of the records does not stand there now: its path alone says where it belongs. */
  readonly isAway?: true;
}

/** The folders of the ledger that were renamed, split, merged, narrowed or widened, by where their directories are. */
export async function findLeftFolders(
  ledger: LedgerPort,
  folders: Settings['folders'],
): Promise<readonly LeftFolder[]> {
  const views = await Promise.all(folders.map(viewOf));
  const names = namesIn(ledger);
  const left = await leftDirectories(ledger, views, names);
  const isTaken = (name: string) =>
    left.some((other) => other.name !== name && other.mappings.some(({ to }) => to.folder === name));
  return left.flatMap(({ name, known, mappings }): readonly LeftFolder[] => {
    const isConfigured = views.some((view) => view.name === name);
    const isNarrowed = isConfigured && mappings.some(({ to }) => to.folder === name);
    // A folder that lies elsewhere altogether now, and is nobody else's: its documents are found again by their content.
    const isKeptApart = isNarrowed || (isConfigured && isTaken(name));
    if (mappings.length === 0 && !isKeptApart) return [];
    const outside = isKeptApart ? nameOutside(ledger, views, { name, names, root: known }) : name;
    const follow: Follow = (ref) => placeOf(ref, mappings) ?? { folder: outside, path: ref.path };
    const followers = mappings.map(({ to, isAway = false }) => {
      const root = views.find((view) => view.name === to.folder)?.root ?? null;
      return { name: to.folder, root, isAway };
    });
    return [{ name, known, follow, followers, outside }];
  });
}

/** A folder of the configuration, where it lies now. `root` null: it is not there. `real`: its path without links. */
async function viewOf({ name, path }: Settings['folders'][number]) {
  const found = await stat(path).catch(() => null);
  const place = resolve(path);
  return {
    name,
    path: place,
    root:
      found?.isDirectory() === true
        ? { path: place, dev: found.dev, ino: found.ino, birthtimeMs: found.birthtimeMs }
        : null,
    real: await realpath(path).catch(() => place),
  };
}

/** A device has another number after a reboot, and a path leads to another directory after a restore: two of three. */
function isSameRoot(known: RootIdentity, root: RootIdentity): boolean {
  return sameInode(known, root) && (known.dev === root.dev || resolve(known.path) === root.path);
}

/** Names of folders of which the ledger knows any file. */
function namesIn(ledger: LedgerPort): ReadonlySet<string> {
  const names = new Set([...ledger.folders(), ...ledger.claimingFolders()]);
  for (const { folder } of ledger.carriedElsewhere()) names.add(folder);
  for (const [ref] of ledger.failures()) names.add(ref.folder);
  for (const { ref } of [...ledger.doubts(), ...ledger.intents()]) names.add(ref.folder);
  return names;
}

/** Names whose directory is not that of the folder of this name, with the folders to which their records belong now. */
async function leftDirectories(ledger: LedgerPort, views: readonly View[], names: ReadonlySet<string>) {
  const left: { name: string; known: RootIdentity; mappings: readonly Mapping[] }[] = [];
  for (const name of names) {
    const known = ledger.root(name);
    const own = views.find((view) => view.name === name);
    const root = own?.root ?? null;
    if (known === undefined || (root !== null && isSameRoot(known, root))) continue;
    const found = await mappingsOf(known, views);
    const mappings = found.length > 0 ? found : await mappingsByPath(ledger, views, { name, known });
    left.push({ name, known, mappings });
  }
  return left;
}

/**
 * A disk that is out while its folder gets another name: the folder that has its path now. Nothing may stand there, and
 * nothing that the folder knows may be there: it would be taken for documents of the disk.
 */
async function mappingsByPath(
  ledger: LedgerPort,
  views: readonly View[],
  { name, known }: { readonly name: string; readonly known: RootIdentity },
): Promise<readonly Mapping[]> {
  const there = views.find((view) => view.name !== name && view.path === resolve(known.path));
  if (there === undefined || (there.root !== null && !(await isEmpty(there.path)))) return [];
  const theirs = ledger.root(there.name);
  const isFree =
    theirs === undefined ||
    views.some(({ name, root }) => name !== there.name && root !== null && isSameRoot(theirs, root));
  return isFree ? [{ from: '', to: { folder: there.name, path: '' }, isAway: true }] : [];
}

/** False where it cannot be read. */
async function isEmpty(directory: string): Promise<boolean> {
  const names = await readdir(directory).catch(() => null);
  return names?.length === 0;
}

/** Which folders the documents of a root belong to that is no folder's any more; none: it is not known. */
async function mappingsOf(known: RootIdentity, views: readonly View[]): Promise<readonly Mapping[]> {
  const same = views.find(({ root }) => root !== null && isSameRoot(known, root));
  if (same !== undefined) return [{ from: '', to: { folder: same.name, path: '' } }];
  // Only the very directory that was watched shows what lay where.
  const old = await stat(known.path).catch(() => null);
  if (old?.isDirectory() !== true || !sameInode(known, old)) return [];
  const real = await realpath(known.path);
  return views.flatMap(({ name, root, real: place }): readonly Mapping[] => {
    if (root === null) return [];
    const [below, above] = [pathInside(real, place), pathInside(place, real)];
    if (below) return [{ from: below.normalize('NFC'), to: { folder: name, path: '' } }];
    return above ? [{ from: '', to: { folder: name, path: above.normalize('NFC') } }] : [];
  });
}

/** Null: none of the folders holds it. */
function placeOf({ path }: DocumentRef, mappings: readonly Mapping[]): DocumentRef | null {
  for (const { from, to } of mappings) {
    const moved = pathAfterMove(path, from, to.path);
    if (moved !== null) return { folder: to.folder, path: moved };
  }
  return null;
}

/** The name under which the ledger keeps what lies outside of a folder that was narrowed. */
function nameOutside(
  ledger: LedgerPort,
  views: readonly View[],
  {
    name,
    names,
    root,
  }: { readonly name: string; readonly names: ReadonlySet<string>; readonly root: RootIdentity },
): string {
  for (let number = 1; ; number += 1) {
    const outside = number === 1 ? `${name} (outside)` : `${name} (outside ${number})`;
    const known = ledger.root(outside);
    const isFree = !names.has(outside) || (known !== undefined && isSameRoot(known, root));
    if (isFree && views.every((view) => view.name !== outside)) return outside;
  }
}
