import { statSync } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import type { FolderState } from '../folder-state.ts';

/** What is missing is not waited for longer because of what comes and goes around it than this. */
const longestMs = 10 * 60_000;

/**
 * How long what has been missing from a directory for `missingMs` is still waited for, ms; at most 0: no more. A
 * removal takes time (`rm -r` on a network disk goes file by file), and so does a copy: as long as names come and go in
 * the directory or below, a document does not lose the sharing mode of a sidecar that went first, nor an attachment its
 * document.
 */
export function removalGrace(folder: FolderState, directory: string, missingMs: number): number {
  const { removeGraceMs } = folder;
  const leftMs = removeGraceMs - missingMs;
  return missingMs < longestMs ? Math.max(leftMs, removeGraceMs - quietMs(folder, directory)) : leftMs;
}

/** For how long no name has come or gone in a directory and below, as far as scans have seen it. */
function quietMs(folder: FolderState, directory: string): number {
  const { tree, observations } = folder;
  const top = tree.nearest(directory);
  const found = orNull(() => statSync(folder.absolute(tree.rawPath(top)), { throwIfNoEntry: false }));
  // What a scan has not seen yet has just happened.
  if (found?.mtimeMs !== tree.get(top)?.mtimeMs) return 0;
  return observations.now().monotonic - tree.changedAt(top);
}
