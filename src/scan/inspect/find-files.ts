import { lstatSync } from 'node:fs';
import type { Stats } from 'node:fs';

import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { joinPath, sameDirectory, sameFile } from '../../model/document.ts';
import type { FileIdentity } from '../../model/document.ts';
import { errorCode, readFaultOf } from '../../model/errors.ts';
import type { FoundFile, FoundFiles, UnreadableDirectory } from '../../model/ports/folder-port.ts';
import type { FolderState } from '../folder-state.ts';
import { statOf } from '../rules/entry.ts';
import { listDirectory } from '../walk/list-directory.ts';
import { placeBelow, readRoot, realRoot } from '../walk/root-identity.ts';

/**
 * Walks everything below the root, whatever rules say of it, and finds files by their identity. Links are not followed,
 * and the state directory is left out. With `directories`, it looks into these and not below. Null: the root cannot be
 * read, or became another one meanwhile.
 */
export async function findFiles(
  { root, excluded }: Pick<FolderState, 'root' | 'excluded'>,
  wanted: readonly FileIdentity[],
  directories: readonly { readonly path: string; readonly raw: string }[] | null = null,
): Promise<FoundFiles | null> {
  const before = readRoot(root);
  if (before.kind === 'unavailable') return null;
  const real = realRoot(root);
  const slice = createTimeSlice(32);
  const numbers = new Map<number, FileIdentity[]>();
  for (const one of wanted) numbers.set(one.ino, [...(numbers.get(one.ino) ?? []), one]);
  const isWanted = (stats: Stats) => numbers.get(stats.ino)?.some((one) => sameFile(one, stats)) === true;
  const files: FoundFile[] = [];
  const unreadable: UnreadableDirectory[] = [];
  const begin = directories ?? [{ path: '', raw: '' }];
  const stack = begin.map((one) => ({ ...one, isNamed: true, movedMs: -Infinity }));
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { path, raw, isNamed, movedMs } = at;
    const place = placeBelow(real, raw, false) ?? real;
    try {
      const { entries, twins, bytes } = await listDirectory(place, placeBelow(real, raw, false), slice);
      // A name that is not UTF-8 may be a wanted file's, or a directory's that holds one.
      let isHidden = bytes.some(
        ({ kind, stats }) => kind === 'directory' || stats === null || isWanted(stats),
      );
      for (const entry of [...entries, ...twins]) {
        const { name, kind, stats } = entry;
        const below = {
          path: joinPath(path, name),
          raw: joinPath(raw, entry.raw),
          isNamed: isNamed && !twins.includes(entry),
        };
        if (kind === 'directory' && below.path !== excluded && directories === null)
          stack.push({ ...below, movedMs: Math.max(movedMs, changedMs(stats)) });
        if (stats === null) isHidden = true;
        else if (kind === 'file' && isWanted(stats))
          files.push({ path: below.path, stat: statOf(stats), isNamed: below.isNamed });
      }
      // What cannot be read may be any file.
      if (isHidden) unreadable.push(unreadableAt(at, place));
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      if (readFaultOf(code) === 'gone') continue;
      unreadable.push(unreadableAt(at, place));
    }
  }
  const after = readRoot(root);
  if (after.kind === 'unavailable' || !sameDirectory(before.identity, after.identity)) return null;
  return { files, unreadable };
}

function unreadableAt(
  { path, movedMs }: Pick<UnreadableDirectory, 'path' | 'movedMs'>,
  absolute: string,
): UnreadableDirectory {
  try {
    const changed = changedMs(lstatSync(absolute));
    return { path, changedMs: changed, movedMs: Math.max(changed, movedMs) };
  } catch {
    return { path, changedMs: Infinity, movedMs: Infinity };
  }
}

/** Of one that is not even shown, nothing is known: it may have changed just now. */
function changedMs(stats: Pick<Stats, 'mtimeMs' | 'ctimeMs'> | null): number {
  return stats === null ? Infinity : Math.max(stats.mtimeMs, stats.ctimeMs);
}
