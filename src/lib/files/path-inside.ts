import { relative, sep } from 'node:path';

/** A path as seen from a directory, both absolute: empty for the directory itself; null: it lies outside. */
export function pathInside(directory: string, path: string): string | null {
  const inside = relative(directory, path);
  return inside === '..' || inside.startsWith(`..${sep}`) ? null : inside;
}
