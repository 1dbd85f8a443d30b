import { lstatSync, realpathSync } from 'node:fs';

import { nameOf } from '../model/document.ts';
import { errorCode } from '../model/errors.ts';
import { printable } from '../lib/printable.ts';
import { kindOf } from './walk/entry.ts';
import type { Entry } from './walk/entry.ts';
import { followLink } from './walk/follow-link.ts';
import type { Ground } from './ground.ts';
import { ignored, unknown } from './inspect-results.ts';
import type { NoDocument } from './inspect-results.ts';
import { directoriesTo } from './rules/ruled-out.ts';
import { linkMessage } from './walk/sort-entries.ts';

/** What lies on the way to a path. */
export type Way =
  { readonly kind: 'directory' } | { readonly kind: 'nothing'; readonly path: string } | NoDocument;

/** Follows the directories down to a path; `nothing` names the first that is none. */
export function wayTo(ground: Ground, path: string): Way {
  for (const directory of directoriesTo(path)) {
    const absolute = ground.absolute(ground.tree.rawPath(directory));
    try {
      const stats = lstatSync(absolute, { throwIfNoEntry: false });
      if (stats?.isSymbolicLink() === true) {
        if (!ground.settings.followSymlinks || !ground.tree.has(directory)) {
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

/** What stands at a path. */
export type Found =
  { readonly kind: 'file'; readonly entry: Entry } | { readonly kind: 'nothing' } | NoDocument;

/** Looks at the entry itself; a link is followed where links are. */
export function entryAt(ground: Ground, path: string): Found {
  const absolute = ground.absolute(ground.tree.rawPath(path));
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
      entry.kind === 'link' && ground.settings.followSymlinks
        ? followLink(entry, absolute, realpathSync(ground.root))
        : entry;
    if (followed.kind === 'link') return { kind: 'skipped', code: 'symbolic-link', message: linkMessage };
    return followed.kind === 'file' ? { kind: 'file', entry: followed } : { kind: 'nothing' };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENAMETOOLONG' || code === 'ENOTDIR') return { kind: 'nothing' };
    return unknown('unreadable', `it cannot be looked at (${code ?? 'unknown error'})`);
  }
}
