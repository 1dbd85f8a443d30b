import { relative, sep } from 'node:path';

/** The absolute path of what lies at `path` below a directory; of an empty path: what all of them begin with. */
export function pathBelow(directory: string, path: string): string {
  return directory === '/' ? `/${path}` : `${directory}/${path}`;
}

/** A path as seen from a directory, both absolute: empty for the directory itself; null: it lies outside. */
export function pathInside(directory: string, path: string): string | null {
  const inside = relative(directory, path);
  return inside === '..' || inside.startsWith(`..${sep}`) ? null : inside;
}
