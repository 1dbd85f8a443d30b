import { lstatSync } from 'node:fs';
import type { Stats } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import { directoriesTo } from '../../model/document.ts';
import type { FolderState } from '../folder-state.ts';

/** Some directories are never quiet: a file waits for no longer than so many times the settle time. */
const mostSettleTimes = 10;

/**
 * How long the sidecar of a file, or the document that attaches it, may still be on its way, ms; 0: no more. Files are
 * copied and moved one by one, in any order: so it is as long as names come to its directory, or to one above it.
 */
export function arrivalMs(folder: FolderState, path: string, { ctimeMs }: Pick<Stats, 'ctimeMs'>): number {
  const { observations, settleMs } = folder;
  const cameMs = observations.now().now - ctimeMs;
  if (cameMs < 0 || cameMs >= mostSettleTimes * settleMs) return 0;
  return Math.max(...['', ...directoriesTo(path)].map((directory) => unsettledMs(folder, directory)));
}

function unsettledMs({ tree, observations, absolute }: FolderState, directory: string): number {
  const place = absolute(tree.rawPath(directory));
  const stats = orNull(() => lstatSync(place, { throwIfNoEntry: false }));
  return stats?.isDirectory() === true ? observations.settle(directory, stats) : 0;
}
