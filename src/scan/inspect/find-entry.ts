import { lstatSync, realpathSync } from 'node:fs';

import { nameOf } from '../../model/document.ts';
import { errorCode } from '../../model/errors.ts';
import { printable } from '../../lib/text/printable.ts';
import { isAttachmentDirectory } from '../rules/classify.ts';
import { followLink, kindOf } from '../walk/entry.ts';
import type { Entry } from '../walk/entry.ts';
import type { FolderState } from '../folder-state.ts';
import { ignored, unknown } from './verdicts.ts';
import type { NoDocument } from './verdicts.ts';
import { directoriesTo } from './classify-by-name.ts';

/** What lies on the way to a path. */
export type Way =
  { readonly kind: 'directory' } | { readonly kind: 'nothing'; readonly path: string } | NoDocument;

/** Follows the directories down to a path; `nothing` names the first that is none. */
export function wayTo(folder: FolderState, path: string): Way {
  for (const directory of directoriesTo(path)) {
    const absolute = folder.absolute(folder.tree.rawPath(directory));
    try {
      const stats = lstatSync(absolute, { throwIfNoEntry: false });
      if (stats?.isSymbolicLink() === true) {
        if (!folder.settings.followSymlinks || !folder.tree.has(directory)) {
          return ignored('symbolic-link', `${printable(directory)} is a symbolic link`);
        }
      } else if (stats?.isDirectory() !== true) return { kind: 'nothing', path: directory };
    } catch (error) {
      return unknown(
        'unreadable',
        `${printable(directory)} cannot be read (${errorCode(error) ?? 'unknown error'})`,
      );
    }
  }
  return { kind: 'directory' };
}

/** What is at a path: a regular file, a link that is not followed or entered, or nothing that could be a document. */
export type Found =
  { readonly kind: 'entry'; readonly entry: Entry } | { readonly kind: 'nothing' } | NoDocument;

/** Reads the entry itself; a link is followed where links are. */
export function findEntry(folder: FolderState, path: string): Found {
  const absolute = folder.absolute(folder.tree.rawPath(path));
  try {
    const stats = lstatSync(absolute, { throwIfNoEntry: false });
    if (stats === undefined) return { kind: 'nothing' };
    const entry: Entry = {
      name: nameOf(path),
      raw: nameOf(absolute),
      kind: kindOf(stats),
      stats,
      linkedFrom: null,
    };
    const followed =
      entry.kind === 'link' && folder.settings.followSymlinks
        ? followLink(entry, absolute, realpathSync(folder.root))
        : entry;
    if (followed.kind === 'file' || followed.kind === 'link') return { kind: 'entry', entry: followed };
    if (entry.kind === 'link' && isAttachmentDirectory(entry.name)) return { kind: 'entry', entry: followed };
    // A link to any other directory that the scan did not follow leads in a circle.
    const circle = entry.kind === 'link' && !folder.tree.has(path);
    return circle ? { kind: 'entry', entry } : { kind: 'nothing' };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENAMETOOLONG' || code === 'ENOTDIR') return { kind: 'nothing' };
    return unknown('unreadable', `it cannot be read (${code ?? 'unknown error'})`);
  }
}
