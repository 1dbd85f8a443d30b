import { readFileSync } from 'node:fs';

import { parseMountTable } from '../../lib/files/mount-table.ts';
import { realRoot } from '../walk/root-identity.ts';

/** So many mounts of one folder are remembered. */
const maxMounts = 1_000;

/** Directories below a root on which something is mounted; none where the system has no mount table. Never throws. */
export function mountsBelow(root: string): readonly string[] {
  const real = realRoot(root);
  const start = real === '/' ? real : `${real}/`;
  const below = mountPoints().filter((path) => path.startsWith(start) && path !== start);
  return [...new Set(below)].slice(0, maxMounts).map((path) => path.slice(start.length).normalize('NFC'));
}

function mountPoints(): readonly string[] {
  try {
    return parseMountTable(readFileSync('/proc/self/mountinfo', 'utf8')).map(({ path }) => path);
  } catch {
    return [];
  }
}
