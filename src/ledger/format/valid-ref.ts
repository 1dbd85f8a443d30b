import type { DocumentRef } from '../../model/document.ts';

/** Says whether a reference leads to a place inside a folder: no empty name, no `.` or `..`, not absolute, no NUL. */
export function isValidRef({ folder, path }: DocumentRef): boolean {
  return isValidFolder(folder) && path.split('/').every(isValidName);
}

/** Says whether a directory, `''` for the root, is a place inside a folder. */
export function isValidDirectory(folder: string, directory: string): boolean {
  return directory === '' ? isValidFolder(folder) : isValidRef({ folder, path: directory });
}

/** Says whether a text can be the name of one file. */
export function isValidName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
}

function isValidFolder(folder: string): boolean {
  return folder !== '' && !/[/\0]/.test(folder);
}
