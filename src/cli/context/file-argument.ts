import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { FolderSettings } from '../../model/settings.ts';

/** What a path on the command line is seen from. */
export interface Place {
  /** Absolute. */
  readonly cwd: string;
  readonly folders: readonly Pick<FolderSettings, 'name' | 'path'>[];
}

/**
 * A path as the daemon takes it. One that exists, or that is a folder or lies in one as seen from the working directory,
 * becomes absolute; anything else stays: `folder/path`, or a path inside the only folder.
 */
export function insideWorkingDirectory(path: string, { cwd, folders }: Place): string {
  const absolute = resolve(cwd, path);
  const inFolder = folders.some((folder) => contains(folder.path, absolute));
  const named = folders.some(({ name }) => path.startsWith(`${name}/`));
  if (inFolder && (!named || existsSync(absolute))) return absolute;
  return path;
}

function contains(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`);
}
