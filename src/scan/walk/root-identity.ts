import { accessSync, constants, realpathSync, statSync } from 'node:fs';

import { pathBelow } from '../../lib/files/path-inside.ts';
import { readMountTable } from '../../lib/files/mount-table.ts';
import { orNull } from '../../lib/or-null.ts';
import { cannotBeRead, errorCode, readFaultOf } from '../../model/errors.ts';
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
    const { dev, ino, birthtimeMs } = stats;
    return { kind: 'there', identity: { path, dev, ino, birthtimeMs } };
  } catch (error) {
    const fault = readFaultOf(errorCode(error));
    if (fault === 'gone')
      return { kind: 'unavailable', code: 'folder-missing', message: `${path} does not exist` };
    const code = fault === 'barred' ? 'folder-unreadable' : 'folder-unavailable';
    return { kind: 'unavailable', code, message: cannotBeRead(path, errorCode(error)) };
  }
}

/** A root without symbolic links in its path; as it is written, where it cannot be followed. */
export function realRoot(root: string): string {
  return orNull(() => realpathSync(root)) ?? root;
}

/** Where a path of a folder, as it stands on disk, lies below its root. Without links in that: where it has to be. */
export function placeBelow(root: string, raw: string): string {
  return raw === '' ? root : pathBelow(root, raw);
}

/** So many mounts of one folder are remembered. */
const maxMounts = 1_000;

/** What lies below a root and has something mounted on it; nothing where the system has no mount table. Never throws. */
export function mountsBelow(root: string): readonly string[] {
  const real = realRoot(root);
  const start = pathBelow(real, '');
  const below = readMountTable()
    .map(({ path }) => path)
    .filter((path) => path.startsWith(start) && path !== start);
  return [...new Set(below)].slice(0, maxMounts).map((path) => path.slice(start.length).normalize('NFC'));
}
