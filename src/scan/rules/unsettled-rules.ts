import { lstatSync } from 'node:fs';

import { joinPath } from '../../model/document.ts';
import { companionGrace } from './companion-grace.ts';
import { rulesName } from './directory-rules.ts';
import type { Ground } from '../ground.ts';
import { directoriesTo } from './ruled-out.ts';

/**
 * How long the ignore rules that hold for a document may still be half of what they will be, ms; 0: they are whole. One
 * that is being written, or is gone for a moment, would let out what it keeps in.
 */
export function unsettledRules(ground: Ground, document: string): number {
  return ['', ...directoriesTo(document)].reduce(
    (longest, place) => Math.max(longest, waitFor(ground, place)),
    0,
  );
}

function waitFor(ground: Ground, place: string): number {
  const path = joinPath(place, rulesName);
  try {
    const absolute = ground.absolute(joinPath(ground.tree.rawPath(place), rulesName));
    const stats = lstatSync(absolute, { throwIfNoEntry: false });
    if (stats === undefined) return companionGrace(ground, path);
    return stats.isFile() ? ground.observations.settle(path, stats) : 0;
  } catch {
    // Of a directory that cannot be read a sweep says so.
    return 0;
  }
}
