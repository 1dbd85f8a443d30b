import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

import { trialFile } from './package-files.ts';

/** Which configuration file is read, and why. */
export interface SettingsFile {
  /** Absolute. */
  readonly file: string;
  /** The trial configuration that ships with ingestd: its paths are relative to the working directory. */
  readonly trial: boolean;
}

/** What the search is given. */
export interface SettingsSearch {
  /** `--config`, as written. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
}

/**
 * Finds the configuration file, contract section 2: `--config`, `$INGESTD_CONFIG`, `./ingestd.yaml`, the
 * user's, the machine's, and last the trial configuration. A file that is named explicitly is taken without a search.
 */
export async function findSettingsFile({ file, env, cwd }: SettingsSearch): Promise<SettingsFile> {
  const named = file ?? (env['INGESTD_CONFIG'] || undefined);
  if (named !== undefined) return { file: resolve(cwd, named), trial: resolve(cwd, named) === trialFile };
  for (const candidate of candidates(env, cwd)) {
    if (await exists(candidate)) return { file: candidate, trial: false };
  }
  return { file: trialFile, trial: true };
}

function candidates(env: SettingsSearch['env'], cwd: string): string[] {
  const user = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  return [
    join(cwd, 'ingestd.yaml'),
    resolve(cwd, user, 'ingestd', 'ingestd.yaml'),
    '/etc/ingestd/ingestd.yaml',
  ];
}

/** A broken link or an unreadable file is not skipped: reading it reports what is wrong. */
async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
