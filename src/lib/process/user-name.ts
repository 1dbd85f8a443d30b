import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { orNull } from '../or-null.ts';

/** The users of this machine's own list. */
export function users() {
  const text = orNull(() => readFileSync('/etc/passwd', 'utf8')) ?? '';
  return text.split('\n').map((line) => {
    const [name, , uid] = line.split(':');
    return { name, uid: Number(uid) };
  });
}

/** The name of a user; of one that is not in that list: as `sudo -u` takes a number in a shell. */
export function userName(uid: number): string {
  return users().find((one) => one.uid === uid)?.name ?? `'#${uid}'`;
}

/** What can be done about a state directory, or a file in it, that is closed to this user. */
export function asItsUser(path: string): string {
  const [own, parent] = [path, dirname(path)].map((one) => orNull(() => statSync(one)));
  const uid = (own?.isDirectory() === true ? own : parent)?.uid ?? process.geteuid?.() ?? 0;
  const sudo = uid === process.geteuid?.() ? '' : ` (sudo -u ${userName(uid)} ingestd …)`;
  return `run the command as the user that runs ingestd${sudo}, or give that user the directory and all that is in it`;
}
