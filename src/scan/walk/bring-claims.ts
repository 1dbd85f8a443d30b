import { lstatSync } from 'node:fs';
import { posix } from 'node:path';

import { directoryOf, joinPath, nameOf, sameFile } from '../../model/document.ts';
import type { Claim, FileIdentity, OwnersClaims } from '../../model/document.ts';
import { errorCode, readFaultOf } from '../../model/errors.ts';
import { locateOnDisk } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';

/**
 * Moves what was claimed in a directory to where that directory is now, before its sidecars are read: one that is not
 * valid does not tell. Gives the paths whose standing changed.
 */
export function bringClaims(
  folder: FolderState,
  directory: string,
  identity: FileIdentity,
): readonly string[] {
  const { claims } = folder;
  const places = new Set(claims.madeIn(identity).map(directoryOf));
  places.delete(directory);
  return [...places].flatMap((from) => {
    // A link or a mount: it has not moved.
    if (standsAt(folder, from, identity)) return [];
    const left = new Map(claims.in(from));
    const here = new Map(claims.in(directory));
    for (const [owner, claim] of claims.in(from)) {
      if (!isMadeIn(claim, identity)) continue;
      left.delete(owner);
      const brought = joinPath(directory, nameOf(owner));
      const standing = here.get(brought);
      if (standing !== undefined && (standing.directory === undefined || isMadeIn(standing, identity)))
        continue;
      here.set(brought, moved(claim, from, directory));
      // What was claimed here in the directory that has left: it is brought from there to where that one is.
      if (standing !== undefined && !left.has(owner)) left.set(owner, moved(standing, directory, from));
    }
    return [...claims.set(from, left), ...claims.set(directory, here)];
  });
}

/** The same for claims of an earlier process. Gives directories that have to be scanned with what it brought. */
export function bringRestored(folder: FolderState, known: OwnersClaims): readonly string[] {
  const wanted = new Set(Array.from(known.values(), ({ directory }) => directory?.ino));
  const standing = Array.from(folder.tree.entries()).filter(([, { ino }]) => wanted.has(ino));
  return standing.flatMap(([path, state]) => bringClaims(folder, path, state).map(directoryOf));
}

function standsAt(folder: FolderState, path: string, identity: FileIdentity): boolean {
  try {
    const stats = lstatSync(locateOnDisk(folder, path), { throwIfNoEntry: false });
    return stats?.isDirectory() === true && sameFile(stats, identity);
  } catch (error) {
    return readFaultOf(errorCode(error)) === 'passing';
  }
}

function isMadeIn({ directory }: Claim, identity: FileIdentity): boolean {
  return directory !== undefined && sameFile(directory, identity);
}

function moved(claim: Claim, from: string, to: string): Claim {
  return { ...claim, paths: claim.paths.map((path) => carry(path, from, to)) };
}

/** Where a path leads that was written down in a directory which has moved; as it is where it would leave the folder. */
function carry(path: string, from: string, to: string): string {
  const moved = posix.join(to, posix.relative(from, path));
  return moved.startsWith('..') ? path : moved;
}
