import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

interface StateSearch {
  /** As the file says it. */
  readonly written: string | undefined;
  /** Absolute: what a written path is relative to. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The state directory, absolute: as written, else `$STATE_DIRECTORY` (the first, from systemd), else the user's. */
export function stateDirectory({ written, directory, env }: StateSearch): string {
  const home = env['HOME'] || homedir();
  if (written !== undefined) return resolve(directory, expandHome(written, home));
  const [given] = (env['STATE_DIRECTORY'] ?? '').split(':');
  if (given !== undefined && given !== '') return resolve(directory, given);
  return resolve(env['XDG_STATE_HOME'] || join(home, '.local', 'state'), 'ingestd');
}

/** `~/inbox` in the user's home. */
export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
