import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import { pathInside } from '../../lib/files/path-inside.ts';
import { sameInode } from '../../model/document.ts';
import type { Change, LedgerPort, RootIdentity } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';

/** A folder of the configuration as it is on disk; `root` null: there is no such directory. */
interface Place {
  readonly name: string;
  readonly path: string;
  readonly root: Omit<RootIdentity, 'path'> | null;
}

/**
 * A folder that was renamed in the configuration is found by its root: all that the ledger knows of it gets its new name,
 * in one commit. Where the directory of a name is only a part of the one that it had, or holds that one, or was another
 * name's, what the ledger knows of the former goes under a name of its own, as that of a folder that was taken out of the
 * configuration. Files that stand in other folders by now, after a split or a merge too, are ordinary moves from it, and
 * the rest is kept.
 */
export async function followFolders(ledger: LedgerPort, { folders }: Settings, log: LogPort): Promise<void> {
  const names = await newNames(ledger, await Promise.all(folders.map(placeOf)));
  if (names.size === 0) return;
  for (const [before, folder] of names) {
    const about = { folder, before, documents: ledger.count(before) };
    log.info(about, 'folder was renamed or moved; its documents are kept');
  }
  const meant = Array.from(ledger.changes()).flatMap((known) => {
    const now = JSON.stringify(known, (key, part: unknown) =>
      key === 'folder' && typeof part === 'string' ? (names.get(part) ?? part) : part,
    );
    return now === JSON.stringify(known) ? [] : [{ known, change: JSON.parse(now) as Change }];
  });
  await ledger.commit([
    ...meant.flatMap(({ known }) => withdrawn(known)),
    ...meant.map(({ change }) => change),
  ]);
}

/** Names of folders in the ledger, each with the one that it gets. */
async function newNames(ledger: LedgerPort, places: readonly Place[]): Promise<ReadonlyMap<string, string>> {
  const renames = new Map<string, string>();
  const known = Array.from(namesIn(ledger)).flatMap((name) => {
    const root = ledger.root(name);
    return root === undefined ? [] : [{ name, root }];
  });
  const isKnown = (place: Place) =>
    known.some(({ name, root }) => name === place.name && isSameRoot(root, place));
  const left = known.filter(({ name }) => !places.some((place) => place.name === name && isKnown(place)));
  for (const { name, root } of left) {
    const there = places.find((place) => isSameRoot(root, place));
    const isFree =
      there !== undefined && !isKnown(there) && !Array.from(renames.values()).includes(there.name);
    if (isFree) renames.set(name, there.name);
  }
  const taken = new Set(renames.values());
  for (const { name, root } of left) {
    if (renames.has(name)) continue;
    const place = places.find((one) => one.name === name);
    if (place !== undefined && (taken.has(name) || (await isOfOneTree(root, place))))
      renames.set(name, nameOutside(name, [...places, ...known, ...Array.from(renames.values(), toName)]));
  }
  return renames;
}

const toName = (name: string) => ({ name });

/** Names of folders of which the ledger knows any file. */
function namesIn(ledger: LedgerPort): ReadonlySet<string> {
  const refs = [
    ...ledger.attachedElsewhere(),
    ...Array.from(ledger.failures(), ([ref]) => ref),
    ...[...ledger.doubts(), ...ledger.intents()].map(({ ref }) => ref),
  ];
  return new Set([...ledger.folders(), ...refs.map(({ folder }) => folder)]);
}

async function placeOf({ name, path }: Settings['folders'][number]): Promise<Place> {
  const found = await stat(path).catch(() => null);
  return { name, path: resolve(path), root: found?.isDirectory() === true ? found : null };
}

/** A device has another number after a reboot, and a path leads to another directory after a restore: two of three. */
function isSameRoot(known: RootIdentity, { root, path }: Place): boolean {
  return root !== null && sameInode(known, root) && (known.dev === root.dev || resolve(known.path) === path);
}

/** Whether the directory that was known stands where it did, and the present one lies in it or holds it. */
async function isOfOneTree(known: RootIdentity, { path, root }: Place): Promise<boolean> {
  const old = await stat(known.path).catch(() => null);
  if (root === null || old?.isDirectory() !== true || !sameInode(known, old)) return false;
  const [before, now] = [await realpath(known.path), await realpath(path)];
  return pathInside(before, now) !== null || pathInside(now, before) !== null;
}

/** The name under which the ledger keeps what is in no folder of the configuration. */
function nameOutside(name: string, taken: readonly { readonly name: string }[]): string {
  for (let number = 1; ; number += 1) {
    const outside = number === 1 ? `${name} (outside)` : `${name} (outside ${number})`;
    if (taken.every((other) => other.name !== outside)) return outside;
  }
}

/** What ends a state that gets another name. A root, and what was removed a moment ago, may stay known twice. */
function withdrawn(known: Change): readonly Change[] {
  const { kind } = known;
  if (kind === 'put') return [{ kind: 'drop', ref: known.ref }];
  if (kind === 'fail') return [{ kind: 'clear', ref: known.ref }];
  if (kind === 'hold') return [{ ...known, hold: null }];
  if (kind === 'approve') return [{ ...known, kind: 'unapprove' }];
  if (kind === 'mounts') return [{ kind, folder: known.folder, mounts: [] }];
  return [];
}
