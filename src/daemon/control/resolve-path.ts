import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { closest } from '../../lib/text/closest.ts';
import { pathInside } from '../../lib/files/path-inside.ts';
import type { DocumentRef } from '../../model/document.ts';
import { knownPath } from '../../scan/folder-state.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { FolderSettings } from '../../model/settings.ts';

export type Folders = readonly Pick<FolderSettings, 'name' | 'path'>[];

/**
 * A path of the command line as the daemon takes it. One that is a folder or lies in one as seen from the working
 * directory `cwd`, or that begins with `./` or `../`, becomes absolute; anything else stays: `folder/path`, or a path
 * inside the only folder.
 */
export function insideWorkingDirectory(path: string, cwd: string, folders: Folders): string {
  const absolute = resolve(cwd, path);
  if (/^\.{1,2}(\/|$)/.test(path)) return absolute;
  const inFolder = folders.some((folder) => pathInside(folder.path, absolute) !== null);
  const named = folders.some(({ name }) => path.startsWith(`${name}/`));
  return inFolder && (!named || existsSync(absolute)) ? absolute : path;
}

/**
 * Which document a person means: an absolute path, `folder/path`, or a path inside the only folder. Null: none. The
 * path of a folder itself is empty.
 */
export function resolvePath(folders: Folders, text: string): DocumentRef | null {
  const given = withoutSlash(text);
  const normal = given.normalize('NFC');
  for (const { name, path } of folders) {
    const inside = given.startsWith('/')
      ? (pathInside(path, resolve(given)) ?? pathInside(path, resolve(normal)))
      : null;
    if (normal === name) return { folder: name, path: '' };
    if (inside !== null) return { folder: name, path: knownPath(path, inside) };
    if (normal.startsWith(`${name}/`))
      return { folder: name, path: knownPath(path, given.slice(given.indexOf('/') + 1)) };
  }
  const [only] = folders;
  if (normal.startsWith('/') || folders.length !== 1 || only === undefined) return null;
  return { folder: only.name, path: knownPath(only.path, given) };
}

function withoutSlash(text: string): string {
  return text.replace(/(?<=.)\/+$/, '');
}

/** As `resolvePath`, with the folder that it is in. Throws ConfigurationError where it is in none. */
export function requirePath<T extends Pick<FolderSettings, 'name' | 'path'>>(
  folders: readonly T[],
  text: string,
): { readonly ref: DocumentRef; readonly folder: T } {
  const ref = resolvePath(folders, text);
  const folder = folders.find(({ name }) => name === ref?.folder);
  if (ref !== null && folder !== undefined) return { ref, folder };
  throw new ConfigurationError(
    `${text} is not in any of the folders; name a file in one of them, by its path or as FOLDER/PATH: ${foldersText(folders)}`,
  );
}

const mostFolders = 5;

/** Names and paths of the first of them. */
export function foldersText(folders: Folders): string {
  const named = folders.slice(0, mostFolders).map(({ name, path }) => `${name} (${path})`);
  const more = folders.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** What `FOLDER/PATH` or `FOLDER` means where no such folder is configured; null: one is, or it has another form. */
export function formerPath(folders: Folders, text: string): DocumentRef | null {
  const [, folder, path = ''] = /^([^/]+)(?:\/(.+))?$/su.exec(withoutSlash(text.normalize('NFC'))) ?? [];
  if (folder === undefined || folders.some(({ name }) => name === folder)) return null;
  return { folder, path };
}

/** What a path means: in a configured folder, or in one that was. Throws ConfigurationError for any other. */
export function placesMeant(folders: Folders, text: string): readonly DocumentRef[] {
  const places = [resolvePath(folders, text), formerPath(folders, text)].filter((place) => place !== null);
  return places.length > 0 ? places : [requirePath(folders, text).ref];
}

/** A folder by its name; null: all are meant. Throws ConfigurationError where none has that name. */
export function requireFolder<T extends Pick<FolderSettings, 'name'>>(
  { folders }: { readonly folders: readonly T[] },
  folder: string | null,
): T | null {
  if (folder === null) return null;
  const found = folders.find(({ name }) => name === folder);
  if (found !== undefined) return found;
  const names = folders.map(({ name }) => name);
  const near = closest(folder, names);
  const known = names.length === 1 ? `the only folder is ${names[0]}` : `the folders are ${names.join(', ')}`;
  throw new ConfigurationError(
    `the folder "${folder}" is not configured; ${near === undefined ? known : `did you mean ${near}?`}`,
  );
}
