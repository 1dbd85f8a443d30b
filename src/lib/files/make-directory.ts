import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it, and gives the first that it made; undefined: all were there. Node's own
 * `recursive` never ends where a directory that is there says ENOENT of what should be made in it, as `/proc` does.
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    return await makeOne(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
  }
  const first = await makeDirectory(dirname(path), mode);
  const made = await makeOne(path, mode);
  return first ?? made;
}

/** Undefined: it is there. */
async function makeOne(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, mode);
    return path;
  } catch (error) {
    if (await isDirectory(path)) return undefined;
    throw error;
  }
}

/** Says whether a directory stands at a path; a link counts as what it leads to. */
export async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
