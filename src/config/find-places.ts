import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import { valueAt } from '../lib/text/describe-issues.ts';
import { orNull } from '../lib/or-null.ts';
import { ConfigurationError, errorCode, readFaultOf } from '../model/errors.ts';
import { readEnvironmentFile } from './environment/environment-file.ts';
import { trialFile } from './package-files.ts';
import { readTrustedFile } from './trusted-file.ts';
import { glimpseYaml } from './yaml/read-yaml.ts';

/** What the search is given. */
export interface SettingsSearch {
  /** `--config`, as written. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
}

/**
 * Finds the configuration file: `--config`, `$INGESTD_CONFIG`, `./ingestd.yaml`, the user's, the machine's, and last the
 * trial configuration (`trial`), whose paths are relative to the working directory. A file that is named explicitly is
 * taken without a search. `missing`: where it would have been, of a search that found none; else empty.
 */
export async function findSettingsFile({ file, env, cwd }: SettingsSearch) {
  const named = file ?? (env['INGESTD_CONFIG'] || undefined);
  if (named !== undefined) {
    const path = resolve(cwd, named);
    return { file: path, trial: path === trialFile, missing: [] };
  }
  const places = candidates(env, cwd);
  for (const place of places) {
    const fault = await access(place).then(() => undefined, errorCode);
    // In a directory that is closed to this user, nobody knows. Of the machine's, there is: reading it reports the fault.
    const mayBeAbsent = fault === 'EACCES' && place !== machineFile;
    // A broken link or an unreadable file is not skipped either.
    if (readFaultOf(fault) !== 'gone' && !mayBeAbsent) return { file: place, trial: false, missing: [] };
  }
  return { file: trialFile, trial: true, missing: places };
}

function candidates(env: SettingsSearch['env'], cwd: string): string[] {
  const user = env['XDG_CONFIG_HOME'] || orNull(() => join(homeDirectory(env, 'XDG_CONFIG_HOME'), '.config'));
  return [
    join(cwd, 'ingestd.yaml'),
    ...(user === null ? [] : [resolve(cwd, user, 'ingestd', 'ingestd.yaml')]),
    machineFile,
  ];
}

/** The configurations of the machine's services, and their credentials. */
export const machineDirectory = '/etc/ingestd';
const machineFile = join(machineDirectory, 'ingestd.yaml');

/**
 * The configuration file and its state directory, as far as they can be found although the rest of the file may be wrong:
 * used to find a daemon that runs on an earlier version of the file. A guess; never throws for what the file holds.
 */
export async function likelyStateDirectory(
  search: SettingsSearch,
): Promise<{ readonly file: string; readonly dir: string }> {
  const { file, trial } = await findSettingsFile(search);
  const directory = trial ? search.cwd : dirname(file);
  const beside = await readEnvironmentFile(directory, search.env).catch(() => null);
  const given = { ...beside?.values, ...search.env }['INGESTD_STATE__DIR'];
  const read = await readTrustedFile(file, search.env).catch(() => null);
  const written = given || valueAt(glimpseYaml(read?.text ?? ''), ['state', 'dir']);
  return {
    file,
    dir: stateDirectory(typeof written === 'string' ? written : undefined, directory, search.env),
  };
}

/**
 * The state directory, absolute: as written in the file, relative to `directory`, else `$STATE_DIRECTORY` (the first, from
 * systemd), else the user's.
 */
export function stateDirectory(
  written: string | undefined,
  directory: string,
  env: SettingsSearch['env'],
): string {
  const key = 'state.dir';
  if (written !== undefined) return resolve(directory, expandHome(written, env, key));
  const [given] = (env['STATE_DIRECTORY'] ?? '').split(':');
  if (given !== undefined && given !== '') return resolve(directory, given);
  return join(userState(env, key), 'ingestd');
}

/** Where programs keep what they know of a user. Throws as `homeDirectory`. */
export function userState(env: SettingsSearch['env'], key: string): string {
  return resolve(env['XDG_STATE_HOME'] || join(homeDirectory(env, key), '.local', 'state'));
}

/** `~/inbox` in the user's home; every other path as it is. */
export function expandHome(path: string, env: SettingsSearch['env'], key: string): string {
  return path === '~' || path.startsWith('~/') ? join(homeDirectory(env, key), path.slice(1)) : path;
}

/** Throws ConfigurationError, which names `key` as what to set, where the user has neither `$HOME` nor an account. */
export function homeDirectory(env: SettingsSearch['env'], key: string): string {
  const home = env['HOME'] || orNull(homedir);
  if (home) return home;
  throw new ConfigurationError(
    `${key}: this user has no home directory; set ${key} to an absolute path, or set HOME`,
  );
}
