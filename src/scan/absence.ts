import { closeSync, constants, fstatSync, openSync, readdirSync } from 'node:fs';

import { directoryOf, nameOf } from '../model/document.ts';
import { errorCode } from '../model/errors.ts';
import type { RootIdentity } from '../model/ports/ledger-port.ts';
import { printable } from '../lib/printable.ts';
import type { Ground } from './ground.ts';
import { afterSweepMs, settling, unknown } from './inspect-results.ts';
import type { NoDocument } from './inspect-results.ts';
import { readRoot, sameRoot } from './walk/root-identity.ts';

/** Why nothing can be said of anything in the folder; null: its root is the one that was swept. */
export function rootTrouble(ground: Ground, swept: RootIdentity | null): NoDocument | null {
  const root = readRoot(ground.root);
  if (root.kind === 'unavailable') return unknown(root.code, root.message);
  if (swept === null || sameRoot(swept, root.identity)) return null;
  return unknown('folder-changed', `${ground.root} is another directory than the one that was swept`);
}

/** Nothing stands at `path`, or nothing that could be a document. Certain only if everything around it is sure. */
export function absence(ground: Ground, path: string, sweptRoot: () => RootIdentity | null): NoDocument {
  if (sweptRoot() === null) return unknown('not-swept', 'the folder has not been swept yet');
  const directory = directoryOf(path);
  const state = ground.tree.get(ground.tree.nearest(directory));
  if (state !== undefined && state.unreadable !== null)
    return unknown('unreadable', `${printable(directory)}: ${state.unreadable}`);
  let device: number;
  try {
    const absolute = ground.absolute(ground.tree.rawPath(directory));
    // A name in another Unicode form than the last sweep saw is the same name.
    const foreign = /[^\0-\x7f]/.test(nameOf(path));
    if (
      foreign &&
      readdirSync(absolute).some(
        (raw) => raw.normalize('NFC') === nameOf(path) && raw !== nameOf(ground.tree.rawPath(path)),
      )
    ) {
      return settling(afterSweepMs);
    }
    device = deviceOf(absolute);
  } catch (error) {
    return unknown(
      'unreadable',
      `${printable(directory) || 'the root'} cannot be read (${errorCode(error) ?? 'unknown error'})`,
    );
  }
  // The root may have gone while we looked, and taken everything with it.
  return rootTrouble(ground, sweptRoot()) ?? { kind: 'absent', device };
}

/** The device of a directory that can be opened. Throws what `open` throws. */
function deviceOf(absolute: string): number {
  const handle = openSync(absolute, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return fstatSync(handle).dev;
  } finally {
    closeSync(handle);
  }
}
