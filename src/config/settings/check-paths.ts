import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import { pathInside } from '../../lib/files/path-inside.ts';
import { pathText } from '../../lib/text/describe-issues.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import type { SettingsInput } from '../../model/settings.ts';
import { expandHome, stateDirectory } from '../find-places.ts';
import type { SettingsSearch } from '../find-places.ts';
import type { Problem } from '../problem.ts';

interface Place {
  /** `folders[0].path` as a path. */
  readonly key: readonly PropertyKey[];
  /** Absolute. */
  readonly path: string;
  /** With links resolved, as far as it exists. */
  readonly real: string;
  /** What tells its directory from another one, by whatever path; null: it cannot be read. */
  readonly identity: string | null;
  readonly isFile: boolean;
}

/**
 * Finds the directories of a configuration, absolute, and what is wrong with them: a folder inside a folder, the state
 * directory inside a folder or around one, a root that is a file. One that is not there yet is judged by its name. Paths
 * are relative to `directory`; `checkFolders` false: of the folders only these are wanted.
 */
export async function checkPaths(
  { folders, state }: SettingsInput,
  directory: string,
  env: SettingsSearch['env'],
  checkFolders: boolean,
) {
  const problems: Problem[] = [];
  const others: Place[] = [];
  const stateDir = await pathAt(['state', 'dir'], true, () => stateDirectory(state.dir, directory, env));
  const folderPaths: string[] = [];
  for (const [index, { path }] of folders.entries()) {
    const key = ['folders', index, 'path'];
    const find = () => resolve(directory, expandHome(path, env, pathText(key)));
    folderPaths.push(await pathAt(key, checkFolders, find));
  }
  return { problems, folderPaths, stateDir };

  /** Empty: it is invalid by itself. */
  async function pathAt(key: Place['key'], isChecked: boolean, find: () => string): Promise<string> {
    try {
      const path = find();
      if (!isChecked) return path;
      const place = await placeOf(key, path);
      if (place.isFile)
        problems.push({
          path: key,
          message: `${pathText(key)}: ${path} is not a directory; name a directory`,
        });
      problems.push(...others.flatMap((other) => overlapProblem(place, other)));
      others.push(place);
      return path;
    } catch (error) {
      problems.push({ path: key, message: errorMessage(error) });
      return '';
    }
  }
}

async function placeOf(key: Place['key'], path: string): Promise<Place> {
  const found = await stat(path).catch(errorCode);
  const stats = typeof found === 'object' ? found : null;
  return {
    key,
    path,
    real: await realPath(path),
    identity: stats === null ? null : `${stats.dev}:${stats.ino}`,
    // The daemon judges missing and unreadable directories: they may come back.
    isFile: stats === null ? found === 'ENOTDIR' : !stats.isDirectory(),
  };
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPath(parent), basename(path));
  }
}

function overlapProblem(place: Place, other: Place): Problem[] {
  const problem = (words: string) => [{ path: place.key, message: `${words}; choose separate directories` }];
  // One that is mounted at two paths (`mount --bind`) has two of them.
  if (place.real === other.real || (place.identity !== null && place.identity === other.identity))
    return problem(`${named(other)} and ${named(place)} are the same directory`);
  const [inner, outer] = place.real.length > other.real.length ? [place, other] : [other, place];
  return pathInside(outer.real, inner.real) === null
    ? []
    : problem(`${named(inner)} is inside ${named(outer)}`);
}

function named({ key, path, real }: Place): string {
  return path === real ? `${pathText(key)} (${path})` : `${pathText(key)} (${path}, which is ${real})`;
}
