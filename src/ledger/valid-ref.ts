import type { DocumentRef } from '../core/document.ts';

/** Says whether a reference leads to a place inside a folder: no empty name, no `.` or `..`, not absolute, no NUL. */
export function isValidRef({ folder, path }: DocumentRef): boolean {
  if (folder === '' || folder.includes('/') || folder.includes('\0')) return false;
  if (path === '' || path.includes('\0')) return false;
  if (!path.includes('/')) return path !== '.' && path !== '..';
  return path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}
