import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { pathInside } from '../../lib/files/path-inside.ts';
import { pathText } from '../../lib/text/describe-issues.ts';
import { errorCode } from '../../model/errors.ts';
import type { Settings } from '../../model/settings.ts';
import type { Problem } from './explain-issues.ts';

interface Place {
  /** `folders[0].path` as a path. */
  readonly key: readonly PropertyKey[];
  /** As the settings have it, absolute. */
  readonly path: string;
  /** With links resolved, as far as it exists. */
  readonly real: string;
  /** What tells its directory from another one, by whatever path; null: it cannot be read. */
  readonly identity: string | null;
}

/**
 * Finds directories that would affect each other: a folder inside a folder, the state directory inside a folder or around
 * one, a root that is a file. A directory that is not there yet is judged by its name. `checkFolders` false: only whether
 * the state directory is a file.
 */
export async function checkPaths(
  { folders, state }: Pick<Settings, 'folders' | 'state'>,
  { checkFolders }: { readonly checkFolders: boolean },
): Promise<Problem[]> {
  const stateKey = ['state', 'dir'];
  const problems = await fileProblem(stateKey, state.dir);
  if (!checkFolders) return problems;
  const statePlace = await placeOf(stateKey, state.dir);
  const places: Place[] = [];
  for (const [index, { path }] of folders.entries()) {
    const place = await placeOf(['folders', index, 'path'], path);
    problems.push(...(await fileProblem(place.key, path)));
    for (const other of [...places, statePlace]) problems.push(...overlapProblem(place, other));
    places.push(place);
  }
  return problems;
}

async function placeOf(key: Place['key'], path: string): Promise<Place> {
  const identity = await stat(path).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => null,
  );
  return { key, path, real: await realPath(path), identity };
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPath(parent), basename(path));
  }
}

async function fileProblem(key: Place['key'], path: string): Promise<Problem[]> {
  try {
    if ((await stat(path)).isDirectory()) return [];
  } catch (error) {
    // The daemon judges missing and unreadable directories: they may come back.
    if (errorCode(error) !== 'ENOTDIR') return [];
  }
  return [{ path: key, message: `${pathText(key)}: ${path} is not a directory; name a directory` }];
}

function overlapProblem(place: Place, other: Place): Problem[] {
  const problem = (words: string) => [
    { path: place.key, about: [other.key], message: `${words}; choose separate directories` },
  ];
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
