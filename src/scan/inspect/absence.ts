import { closeSync, constants, fstatSync, openSync, readdirSync } from 'node:fs';

import { directoryOf, nameOf } from '../../model/document.ts';
import { errorCode } from '../../model/errors.ts';
import type { RootIdentity } from '../../model/ports/ledger-port.ts';
import { sameRoot } from '../../model/same-file.ts';
import { printable } from '../../lib/text/printable.ts';
import type { FolderState } from '../folder-state.ts';
import { directoriesTo } from './classify-by-name.ts';
import { afterScanMs, settling, unknown } from './verdicts.ts';
import type { NoDocument } from './verdicts.ts';
import { readRoot } from '../walk/root-identity.ts';

/** Why nothing can be said of anything in the folder; null: its root is the one that was scanned. */
export function rootTrouble(folder: FolderState, scanned: RootIdentity | null): NoDocument | null {
  const root = readRoot(folder.root);
  if (root.kind === 'unavailable') return unknown(root.code, root.message);
  if (scanned === null || sameRoot(scanned, root.identity)) return null;
  return unknown('folder-changed', `${folder.root} is not the directory that was scanned`);
}

/** No scan comes past a directory that cannot be listed, and none can say what rules there are in and below it. */
export function unlistedTrouble({ tree }: Pick<FolderState, 'tree'>, path: string): NoDocument | null {
  for (const directory of ['', ...directoriesTo(path)]) {
    const unreadable = tree.get(directory)?.unreadable ?? null;
    if (unreadable !== null) return unknown('unreadable', `${printable(directory)}: ${unreadable}`);
  }
  return null;
}

/** Nothing stands at `path`, or nothing that could be a document. Certain only if everything around it is sure. */
export function absence(
  folder: FolderState,
  path: string,
  scannedRoot: () => RootIdentity | null,
): NoDocument {
  if (scannedRoot() === null) return unknown('not-scanned', 'the folder has not been scanned yet');
  const unlisted = unlistedTrouble(folder, path);
  if (unlisted !== null) return unlisted;
  const directory = directoryOf(path);
  let device: number;
  try {
    const absolute = folder.absolute(folder.tree.rawPath(directory));
    // A name in another Unicode form than the last scan saw is the same name.
    const foreign = /[^\0-\x7f]/.test(nameOf(path));
    if (
      foreign &&
      readdirSync(absolute).some(
        (raw) => raw.normalize('NFC') === nameOf(path) && raw !== nameOf(folder.tree.rawPath(path)),
      )
    ) {
      return settling(afterScanMs);
    }
    device = deviceOf(absolute);
  } catch (error) {
    return unknown(
      'unreadable',
      `${printable(directory) || 'the root'} cannot be read (${errorCode(error) ?? 'unknown error'})`,
    );
  }
  // The root may have gone meanwhile, and taken everything with it.
  return rootTrouble(folder, scannedRoot()) ?? { kind: 'absent', device };
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
