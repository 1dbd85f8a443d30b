import { dirname } from 'node:path';
import { readEnvironmentFile } from './environment/environment-file.ts';
import { type SettingsSearch, findSettingsFile } from './find-settings-file.ts';
import { readTrustedFile } from './trusted-file.ts';
import { glimpseYaml } from './yaml.ts';
import { stateDirectory } from './settings/state-directory.ts';

const maxBytes = 1024 * 1024;

/**
 * The configuration file and its state directory, as far as that can be told although the rest of it may be wrong: the
 * way to a daemon that runs on what the file said before. A guess; never throws for what the file holds.
 */
export async function likelyStateDirectory(
  search: SettingsSearch,
): Promise<{ readonly file: string; readonly dir: string }> {
  const { file, trial } = await findSettingsFile(search);
  const directory = trial ? search.cwd : dirname(file);
  const beside = await readEnvironmentFile(directory, search.env).catch(() => null);
  const given = { ...beside?.values, ...search.env }['INGESTD_STATE__DIR'];
  const read = await readTrustedFile(file, { env: search.env, maxBytes }).catch(() => null);
  const written = given || dirOf(glimpseYaml(read?.bytes.toString('utf8') ?? ''));
  return { file, dir: stateDirectory({ written, directory, env: search.env }) };
}

function dirOf(value: unknown): string | undefined {
  const state = memberOf(value, 'state');
  const dir = memberOf(state, 'dir');
  return typeof dir === 'string' ? dir : undefined;
}

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}
