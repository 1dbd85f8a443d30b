import { readdirSync, statSync } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import type { FolderState } from '../folder-state.ts';
import { recentLook } from './recent-look.ts';

/** What is missing is not waited for longer because of what comes and goes around it than this. */
const longestMs = 10 * 60_000;
/** A directory is not listed more often than this. */
const recountMs = 1_000;

/**
 * How long what has been missing from a directory for `missingMs` is still waited for, ms; at most 0: no more. A
 * removal takes time (`rm -r` on a network disk goes file by file): as long as names go from the directory or below, a
 * document does not lose the sharing mode of a sidecar that went first, nor an attachment its document. Names that come
 * are no reason to wait: some directories are never quiet.
 */
export function removalGrace(folder: FolderState, directory: string, missingMs: number): number {
  const { removeGraceMs } = folder;
  const leftMs = removeGraceMs - missingMs;
  return missingMs < longestMs ? Math.max(leftMs, removeGraceMs - quietMs(folder, directory)) : leftMs;
}

/** For how long no name has gone from a directory and below, as far as scans have seen it. */
function quietMs(folder: FolderState, directory: string): number {
  const { tree, observations } = folder;
  const top = tree.nearest(directory);
  // What a scan has not seen yet has just happened.
  if (hasFewerNames(folder, top)) return 0;
  return observations.now() - tree.removedAt(top);
}

/** Whether names have gone from a directory since it was scanned. Its time says whether it has to be listed for that. */
function hasFewerNames(
  { tree, absolute, recounts, observations, removeGraceMs }: FolderState,
  path: string,
): boolean {
  const known = tree.get(path);
  const place = absolute(tree.rawPath(path));
  const found = orNull(() => statSync(place, { throwIfNoEntry: false }));
  if (known === undefined || found === null || found === undefined) return true;
  if (found.mtimeMs === known.mtimeMs) return false;
  const at = observations.now();
  const forMs = Math.min(recountMs, removeGraceMs / 5);
  const count = () => orNull(() => readdirSync(place).length) ?? 0;
  return recentLook(recounts, path, { at, forMs }, count) < known.nameCount;
}
