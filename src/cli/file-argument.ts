import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { Settings } from '../core/settings.ts';

interface Place {
  /** Absolute. */
  readonly cwd: string;
  readonly settings: Settings;
}

/**
 * A path as the daemon takes it. One that exists, or that lies in a folder as seen from the working directory,
 * becomes absolute; anything else stays: `folder/path`, or a path inside the only folder.
 */
export function insideWorkingDirectory(path: string, { cwd, settings }: Place): string {
  const absolute = resolve(cwd, path);
  const inFolder = settings.folders.some((folder) => contains(folder.path, absolute));
  const named = settings.folders.some(({ name }) => path.startsWith(`${name}/`));
  if (inFolder && (!named || existsSync(absolute))) return absolute;
  return path;
}

function contains(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`);
}
