import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';

import { printable } from '../../lib/text/printable.ts';
import { directoriesTo, directoryOf, nameOf, sameDirectory } from '../../model/document.ts';
import type { NoDocument } from '../../model/document.ts';
import { errorCode, unreadableCode, unreadableNowCode } from '../../model/errors.ts';
import { entryAt, locateOnDisk } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { statKey } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';
import { openedStat } from '../look-up.ts';
import { markInnerLink } from '../walk/mark-inner-link.ts';
import { readRoot, realRoot } from '../walk/root-identity.ts';
import { afterScanMs } from '../rules/settle.ts';
import { ignored, settling, unknown, unknownPlace } from './inspection-results.ts';

/** Why nothing can be said of anything in the folder; null: its root is the one that was scanned. */
export function rootTrouble({ root: path, scanned }: FolderState): NoDocument | null {
  const root = readRoot(path);
  if (root.kind === 'unavailable') return unknown(root.code, root.message);
  if (scanned.root === null || sameDirectory(scanned.root, root.identity)) return null;
  return unknown('folder-changed', `${path} is not the directory that was scanned`);
}

/** No scan comes past a directory that cannot be listed, and none can say what rules there are in and below it. */
export function unlistedTrouble({ tree }: Pick<FolderState, 'tree'>, path: string): NoDocument | null {
  for (const directory of ['', ...directoriesTo(path)]) {
    const unreadable = tree.get(directory)?.unreadable ?? null;
    if (unreadable === null) continue;
    const { message, isPassing, code = isPassing ? unreadableNowCode : unreadableCode } = unreadable;
    return unknown(code, `${printable(directory) || 'the folder'}: ${message}`);
  }
  return null;
}

/** What is at a path; null: nothing is there, or at `path`, the first place on the way where there is no directory. */
type Found = { readonly kind: 'looked'; readonly path: string; readonly entry: Entry | null } | NoDocument;

/** Follows the directories down to a path, and looks at it. */
export function findEntry(folder: FolderState, path: string): Found {
  for (const place of directoriesTo(path)) {
    const entry = entryAt(folder, place);
    if (entry?.kind === 'unreadable') return unseenPlace(place, printable(place), entry.fault);
    if (entry?.kind === 'link') return ignored('symbolic-link', `${printable(place)} is a symbolic link`);
    if (entry?.kind !== 'directory') return { kind: 'looked', path: place, entry: null };
  }
  const entry = entryAt(folder, path);
  if (entry?.kind === 'unreadable') return unseenPlace(path, 'it', entry.fault);
  if (entry?.kind !== 'link' || !folder.settings.followSymlinks) return { kind: 'looked', path, entry };
  const absolute = folder.absolute(folder.tree.rawPath(path));
  return { kind: 'looked', path, entry: markInnerLink(entry, absolute, realRoot(folder.root)) };
}

/** Of a place that cannot be looked at. Where that is not allowed, its directory is closed: a closed file can be looked at. */
function unseenPlace(place: string, what: string, fault: string | undefined): NoDocument {
  const directory = printable(directoryOf(place));
  const closed = directory === '' ? 'the folder' : `the directory ${directory}`;
  return unknownPlace(fault === 'EACCES' || fault === 'EPERM' ? closed : what, fault);
}

/**
 * Makes sure that a file which has settled can be read and is what `lstat` said; null: it is. Throws what `open` throws.
 */
export function lookInside(folder: FolderState, path: string, stats: Stats): NoDocument | null {
  const { tree, observations } = folder;
  const absolute = locateOnDisk(folder, path);
  if (tree.get(tree.nearest(directoryOf(path)))?.polled !== true) {
    accessSync(absolute, constants.R_OK);
    return null;
  }
  const opened = openedStat(absolute, constants.O_NONBLOCK | constants.O_NOFOLLOW);
  if (statKey(opened) === statKey(stats)) return null;
  return settling(Math.max(1, observations.settle(path, opened)));
}

/** Nothing stands at `path`, or nothing that could be a document. Certain only if everything around it is sure. */
export function absence(folder: FolderState, path: string): NoDocument {
  const unlisted = unlistedTrouble(folder, path);
  if (unlisted !== null) return unlisted;
  if (folder.scanned.root === null) return unknown('not-scanned', 'the folder has not been scanned yet');
  const directory = directoryOf(path);
  let device: number;
  try {
    const twin = directoriesTo(path).find((one) => spellingsOf(folder, one).length > 1);
    if (twin !== undefined) {
      const message = `another directory is named ${printable(nameOf(twin))}, with accents encoded differently: it may be in that one; rename one of the two`;
      return { ...ignored('unicode-twin', message), presence: 'unseen' };
    }
    // A name in another Unicode form than the last scan saw is the same name.
    const spellings = spellingsOf(folder, path);
    if (spellings.length > 0 && !spellings.includes(nameOf(folder.tree.rawPath(path))))
      return settling(afterScanMs);
    const absolute = folder.absolute(folder.tree.rawPath(directory));
    accessSync(absolute, constants.R_OK);
    device = statSync(absolute).dev;
  } catch (error) {
    return unknownPlace(printable(directory) || 'the root', errorCode(error));
  }
  // The root may have gone meanwhile, and taken everything with it.
  return rootTrouble(folder) ?? { kind: 'absent', device };
}

/**
 * The names on disk that spell the name of a path, in any Unicode form; none for ASCII, which has one form. Throws what
 * `readdir` throws.
 */
export function spellingsOf(folder: FolderState, path: string): readonly string[] {
  const name = nameOf(path);
  if (!/[^\0-\x7f]/.test(name)) return [];
  const names = readdirSync(folder.absolute(folder.tree.rawPath(directoryOf(path))));
  return names.filter((raw) => raw.normalize('NFC') === name);
}
