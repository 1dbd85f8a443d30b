import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import { pathInside } from '../../lib/files/path-inside.ts';
import { pathText } from '../../lib/text/describe-issues.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import type { SettingsInput } from '../../model/settings.ts';
import { expandHome, stateDirectory } from '../find-places.ts';
import type { Problem } from '../problem.ts';

interface NamedPlace {
  /** `folders[0].path` as a path. */
  readonly key: readonly PropertyKey[];
  /** Absolute. */
  readonly path: string;
}

interface Place extends NamedPlace {
  /** With links resolved, as far as it exists. */
  readonly real: string;
  /** What tells its directory from another one, by whatever path; null: it cannot be read. */
  readonly identity: string | null;
  readonly isFile: boolean;
}

interface Surroundings {
  /** What relative paths are relative to, absolute. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** False: of the folders only the paths are wanted. */
  readonly checkFolders: boolean;
}

/**
 * Finds the directories of a configuration, absolute, and what is wrong with them: a folder inside a folder, the state
 * directory inside a folder or around one, a root that is a file. One that is not there yet is judged by its name.
 */
export async function checkPaths(
  { folders, state }: SettingsInput,
  { directory, env, checkFolders }: Surroundings,
) {
  const problems: Problem[] = [];
  /** Null: the path is invalid by itself. */
  const placeAt = (key: NamedPlace['key'], find: () => string): NamedPlace | null => {
    try {
      return { key, path: find() };
    } catch (error) {
      problems.push({ path: key, message: errorMessage(error) });
      return null;
    }
  };
  const folderPlaces = folders.map(({ path }, index) => {
    const key = ['folders', index, 'path'];
    return placeAt(key, () => resolve(directory, expandHome(path, env, pathText(key))));
  });
  const statePlace = placeAt(['state', 'dir'], () => stateDirectory(state.dir, directory, env));
  const others: Place[] = [];
  for (const named of [statePlace, ...(checkFolders ? folderPlaces : [])]) {
    if (named === null) continue;
    const place = await placeOf(named);
    const { key, path, isFile } = place;
    if (isFile)
      problems.push({ path: key, message: `${pathText(key)}: ${path} is not a directory; name a directory` });
    problems.push(...others.flatMap((other) => overlapProblem(place, other)));
    others.push(place);
  }
  return { problems, folderPaths: folderPlaces.map(pathOf), stateDir: pathOf(statePlace) };
}

/** Empty: there is a problem with it. */
function pathOf(place: NamedPlace | null): string {
  return place?.path ?? '';
}

async function placeOf({ key, path }: NamedPlace): Promise<Place> {
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
