import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';

import type { FolderSettings, Settings } from '../../model/settings.ts';
import { closest } from '../../lib/text/closest.ts';
import { ConfigurationError } from '../../model/errors.ts';

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

/** The name of a configured folder; null: none was given, all are meant. Throws ConfigurationError. */
export function folderArgument(
  folder: string | undefined,
  { folders }: Pick<Settings, 'folders'>,
): string | null {
  if (folder === undefined) return null;
  const names = folders.map(({ name }) => name);
  if (names.includes(folder)) return folder;
  const near = closest(folder, names);
  const known = names.length === 1 ? `the only folder is ${names[0]}` : `the folders are ${names.join(', ')}`;
  throw new ConfigurationError(
    `FOLDER: "${folder}" is not configured; ${near === undefined ? known : `did you mean ${near}?`}`,
  );
}
