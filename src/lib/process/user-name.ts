import { readFileSync } from 'node:fs';

import { orNull } from '../or-null.ts';

/** The name of a user of this machine's own list, by name or number; of another: as `sudo -u` takes a number in a shell. */
export function userName(user: string | number): string {
  const text = orNull(() => readFileSync('/etc/passwd', 'utf8')) ?? '';
  const users = text.split('\n').map((line) => line.split(':'));
  return users.find(([name, , uid]) => name === user || Number(uid) === user)?.[0] ?? `'#${user}'`;
}
