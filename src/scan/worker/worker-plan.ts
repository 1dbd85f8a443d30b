import { relative, resolve, sep } from 'node:path';

import type { FolderOptions } from '../folder-options.ts';
import type { WorkerPlan } from './protocol.ts';

/** What the scanning thread of a folder is started with. `root` is absolute. */
export function workerPlan(options: FolderOptions, root: string): WorkerPlan {
  const { settings, timing, maxFileBytes, stateDir, watcher } = options;
  const state = relative(root, resolve(stateDir));
  const inside = state !== '' && state !== '..' && !state.startsWith(`..${sep}`);
  return {
    settings,
    maxFileBytes,
    settleMs: timing.settleMs,
    removeGraceMs: timing.removeGraceMs,
    root,
    excluded: inside ? state.normalize('NFC') : null,
    backend: watcher ?? null,
  };
}
