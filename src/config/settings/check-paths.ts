import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { ConfigurationError, errorCode } from '../../model/errors.ts';
import type { Settings } from '../../model/settings.ts';

interface Place {
  /** `folders[0].path` */
  readonly key: string;
  /** As the settings have it, absolute. */
  readonly path: string;
  /** With links resolved, as far as it exists. */
  readonly real: string;
}

/**
 * Refuses directories that would affect each other: a folder inside a folder, the state directory inside a
 * folder or around one, a root that is a file. Throws ConfigurationError that names both paths. A directory
 * that is not there yet is judged by its name.
 */
export async function checkPaths(settings: Settings): Promise<void> {
  const folders: Place[] = [];
  for (const [index, { path }] of settings.folders.entries()) {
    folders.push(await placeOf(`folders[${index}].path`, path));
  }
  const state = await placeOf('state.dir', settings.state.dir);
  for (const place of [...folders, state]) await refuseFile(place);
  for (const [index, place] of folders.entries()) {
    for (const other of folders.slice(0, index)) refuseOverlap(other, place);
    refuseOverlap(place, state);
  }
}

async function placeOf(key: string, path: string): Promise<Place> {
  return { key, path, real: await realPath(path) };
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPath(parent), basename(path));
  }
}

async function refuseFile({ key, path }: Place): Promise<void> {
  try {
    if ((await stat(path)).isDirectory()) return;
  } catch (error) {
    // The daemon judges missing and unreadable directories: they may come back.
    if (errorCode(error) !== 'ENOTDIR') return;
  }
  throw new ConfigurationError(`${key}: ${path} is not a directory; name a directory`);
}

function refuseOverlap(one: Place, other: Place): void {
  if (one.real === other.real) {
    throw new ConfigurationError(`${named(one)} and ${named(other)} are the same directory; ${fixText}`);
  }
  const [inner, outer] = one.real.length > other.real.length ? [one, other] : [other, one];
  if (!isInside(inner.real, outer.real)) return;
  throw new ConfigurationError(`${named(inner)} is inside ${named(outer)}; ${fixText}`);
}

const fixText = 'choose separate directories';

function isInside(inner: string, outer: string): boolean {
  const path = relative(outer, inner);
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`);
}

function named({ key, path, real }: Place): string {
  return path === real ? `${key} (${path})` : `${key} (${path}, which is ${real})`;
}
