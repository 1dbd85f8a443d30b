import { accessSync, constants, realpathSync, statSync } from 'node:fs';

import { errorCode } from '../../model/errors.ts';
import type { RootIdentity } from '../../model/ports/ledger-port.ts';

/** The root as it is at this moment. */
export type RootReading =
  | { readonly kind: 'there'; readonly identity: RootIdentity }
  | { readonly kind: 'unavailable'; readonly code: string; readonly message: string };

/** Reads a root directory's identity. Never throws. */
export function readRoot(path: string): RootReading {
  try {
    const stats = statSync(path);
    if (!stats.isDirectory()) {
      return { kind: 'unavailable', code: 'folder-unavailable', message: `${path} is not a directory` };
    }
    accessSync(path, constants.R_OK | constants.X_OK);
    return { kind: 'there', identity: { path, dev: stats.dev, ino: stats.ino } };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return { kind: 'unavailable', code: 'folder-missing', message: `${path} does not exist` };
    }
    return {
      kind: 'unavailable',
      code: 'folder-unreadable',
      message: `${path} cannot be read (${code ?? 'unknown error'})`,
    };
  }
}

/** Says whether two identities are of one directory. */
export function sameRoot(one: RootIdentity, other: RootIdentity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** A root without symbolic links in its path; as it is written, where it cannot be followed. */
export function realRoot(root: string): string {
  try {
    return realpathSync(root);
  } catch {
    return root;
  }
}

/** Where a directory of a folder really has to be; null: links are followed, and lead elsewhere. */
export function placeBelow(root: string, raw: string, followSymlinks: boolean): string | null {
  if (followSymlinks) return null;
  if (raw === '') return root;
  return root === '/' ? `/${raw}` : `${root}/${raw}`;
}
