import { statSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Missing } from '../needs.ts';

/** A user who owns nothing. */
export const nobody = 65_534;

/** Root may read everything: does it as somebody else, for whom closed files are closed. Of a user, as that user. */
export async function asUser<T>(act: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return act();
  process.seteuid?.(nobody);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}

/** What keeps somebody else from the program in this checkout, which a scan loads by its path; null: nothing. */
export function closedProgram(): Missing | null {
  if (process.getuid?.() !== 0) return null;
  for (let place = process.cwd(); place !== '/'; place = dirname(place))
    if ((statSync(place).mode & 0o001) === 0) return { refused: `${place} is closed to other users` };
  return null;
}
