import { lstatSync } from 'node:fs';
import type { Stats } from 'node:fs';

import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { joinPath, sameDirectory, sameFile } from '../../model/document.ts';
import type { FileIdentity } from '../../model/document.ts';
import { errorCode, readFaultOf } from '../../model/errors.ts';
import type { FoundFile, FoundFiles, UnreadableDirectory } from '../../model/ports/folder-port.ts';
import type { FolderState } from '../folder-state.ts';
import { classifyEntry } from '../rules/classify.ts';
import { statOf } from '../rules/entry.ts';
import { listDirectory } from '../walk/list-directory.ts';
import { placeBelow, readRoot, realRoot } from '../walk/root-identity.ts';

/**
 * Finds files by their identity in all directories that may be listed, whatever rules say of the files: what lies in a
 * directory that is ignored as a whole or hidden (a trash, a snapshot) is elsewhere. Links are not followed. With
 * `directories`, it looks into these and not below. Null: the root cannot be read, or became another one meanwhile.
 */
export async function findFiles(
  folder: FolderState,
  wanted: readonly FileIdentity[],
  directories: readonly { readonly path: string; readonly raw: string }[] | null = null,
): Promise<FoundFiles | null> {
  const { root } = folder;
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
    const place = placeBelow(real, raw);
    try {
      const { entries, twins, bytes } = await listDirectory(place, slice);
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
        if (kind === 'directory' && directories === null && isListed(folder, path, name))
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

/** Whether no rule leaves a directory out as a whole. Of one that is new, the rules above it are known. */
function isListed(folder: FolderState, directory: string, name: string): boolean {
  const rules = folder.tree.get(folder.tree.nearest(directory))?.rules ?? folder.rules;
  const facts = { directory, name, kind: 'directory', twin: null, rules } as const;
  return classifyEntry(facts, folder).kind !== 'ignored';
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
