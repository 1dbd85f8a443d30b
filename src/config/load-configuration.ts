import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { pathInside } from '../lib/files/path-inside.ts';
import { ConfigurationError, errorCode, errorMessage } from '../model/errors.ts';
import { settingsSchema } from '../model/settings.ts';
import type { Settings } from '../model/settings.ts';
import { buildSettings } from './settings/build-settings.ts';
import { explainIssues } from './settings/explain-issues.ts';
import type { Problem } from './settings/explain-issues.ts';
import { schemaAt } from './settings/setting-keys.ts';
import { readEnvironmentFile } from './environment/environment-file.ts';
import { applyOverrides, readOverrides } from './environment/overrides.ts';
import type { Override } from './environment/overrides.ts';
import { findSecrets, secretMeantBy } from './secrets/secret-names.ts';
import { readSecret } from './secrets/read-secrets.ts';
import { findSettingsFile } from './find-places.ts';
import type { SettingsSearch } from './find-places.ts';
import { readTrustedFile } from './trusted-file.ts';
import { readYaml } from './yaml.ts';
import type { YamlText } from './yaml.ts';

/** What `loadConfiguration` is given. */
export interface ConfigurationSearch extends SettingsSearch {
  /** False: whether the folders are separate directories is not checked. Default true. */
  readonly checkFolders?: boolean;
}

const maxFileBytes = 1024 * 1024;
const maxProblems = 20;

/**
 * Finds, reads and judges the configuration. Throws ConfigurationError that names the
 * place, the key, the value and the fix of everything that is wrong with it.
 */
export async function loadConfiguration(search: ConfigurationSearch) {
  const { file, trial } = await findSettingsFile(search);
  // Whoever can change the trial configuration can change the program that it ships with.
  const yaml = readYaml(await readText(file, trial ? { INGESTD_TRUST_CONFIG: '1' } : search.env), file);
  const directory = trial ? search.cwd : dirname(file);
  const environmentFile = await readEnvironmentFile(directory, search.env);
  const { overrides, warnings } = readOverrides({ ...environmentFile.values, ...search.env });
  const source = { file, yaml, overrides };

  const merged = applyOverrides(withoutNulls(yaml.value) ?? {}, overrides);
  const input = withoutNulls(merged.value);
  const secrets = findSecrets(input);
  const parsed = settingsSchema.safeParse(input);
  if (!parsed.success) {
    const issues = explainIssues(parsed.error.issues, input);
    throw configurationError(source, [...secrets, ...merged.problems, ...issues.filter(isNoSecret)]);
  }
  const secretSources = { env: search.env, environmentFile, cwd: search.cwd };
  const redisUrl = await readSecret('redisUrl', secretSources);
  const { settings, problems } = buildSettings(parsed.data, { file, directory, env: search.env, redisUrl });
  const wrong = [...secrets, ...merged.problems, ...problems];
  if (wrong.length > 0) throw configurationError(source, wrong);
  await refuseFile({ key: 'state.dir', path: settings.state.dir });
  if (search.checkFolders !== false) await checkPaths(settings);
  return {
    settings,
    /** True for the configuration that ships with ingestd. */
    trial,
    secretSources,
    /** What is valid but worth a warning. */
    warnings: [...environmentFile.warnings, ...warnings],
  };
}

async function readText(file: string, env: SettingsSearch['env']): Promise<string> {
  try {
    const { bytes } = await readTrustedFile(file, { env, maxBytes: maxFileBytes });
    if (bytes.length > maxFileBytes) {
      throw new ConfigurationError(
        `${file} is larger than 1 MiB, which is too large for a configuration file`,
      );
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === 'configuration') return error;
  const words = code === undefined ? undefined : unreadableWords[code];
  if (words !== undefined) return new ConfigurationError(`${file} ${words}`, { cause: error });
  return new ConfigurationError(`${file} cannot be read: ${errorMessage(error)}`, { cause: error });
}

const unreadableWords: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; create it with ingestd init, or name another file with --config',
  ENOTDIR: 'does not exist; create it with ingestd init, or name another file with --config',
  EISDIR: 'is a directory; name the file inside it',
  EACCES: 'cannot be read by this user; change its permissions, or run ingestd as another user',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text; save it as UTF-8',
};

/** A key without a value is a key left out. An unknown key stays, so that it is reported. */
function withoutNulls(value: unknown, path: readonly PropertyKey[] = []): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value))
    return value.map((item: unknown, index) => withoutNulls(item, [...path, index]) ?? null);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) => {
      const place = [...path, key];
      return child === null && schemaAt(place) !== undefined
        ? []
        : [[key, withoutNulls(child, place) ?? null]];
    }),
  );
}

function isNoSecret({ path }: Problem): boolean {
  const key = path.at(-1);
  return typeof key !== 'string' || secretMeantBy(key) === undefined;
}

function configurationError(
  { file, yaml, overrides }: { file: string; yaml: YamlText; overrides: readonly Override[] },
  problems: readonly Problem[],
): ConfigurationError {
  const placed = problems.slice(0, maxProblems).map(({ path, message }) => {
    const variable = overrides.find((override) => isPrefix(override.path, path))?.variable;
    const at = variable === undefined ? yaml.position(path) : undefined;
    const place = variable ?? (at === undefined ? file : `${file}:${at.line}:${at.col}`);
    return { whole: `${place}: ${message}`, afterOthers: at && `Line ${at.line}: ${message}` };
  });
  const more = problems.length > maxProblems ? [`and ${problems.length - maxProblems} more`] : [];
  const isFileNamed = placed[0]?.afterOthers !== undefined;
  const faults = placed.map(({ whole, afterOthers = whole }, index) =>
    (isFileNamed && index > 0 ? afterOthers : whole).replaceAll(/\n\s+/g, ' '),
  );
  const message = [...placed.map(({ whole }) => whole), ...more].join('\n');
  return new ConfigurationError(message, { faults: [...faults, ...more] });
}

function isPrefix(prefix: readonly PropertyKey[], path: readonly PropertyKey[]): boolean {
  return prefix.length <= path.length && prefix.every((key, index) => key === path[index]);
}

interface Place {
  /** `folders[0].path` */
  readonly key: string;
  /** As the settings have it, absolute. */
  readonly path: string;
  /** With links resolved, as far as it exists. */
  readonly real: string;
  /** What tells its directory from another one, by whatever path; null: it cannot be read. */
  readonly identity: string | null;
}

/**
 * Refuses directories that would affect each other: a folder inside a folder, the state directory inside a
 * folder or around one, a root that is a file. Throws ConfigurationError that names both paths. A directory
 * that is not there yet is judged by its name.
 */
async function checkPaths(settings: Settings): Promise<void> {
  const folders: Place[] = [];
  for (const [index, { path }] of settings.folders.entries()) {
    folders.push(await placeOf(`folders[${index}].path`, path));
  }
  const state = await placeOf('state.dir', settings.state.dir);
  for (const place of folders) await refuseFile(place);
  for (const [index, place] of folders.entries()) {
    for (const other of folders.slice(0, index)) refuseOverlap(other, place);
    refuseOverlap(place, state);
  }
}

async function placeOf(key: string, path: string): Promise<Place> {
  const identity = await stat(path).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => null,
  );
  return { key, path, real: await realPath(path), identity };
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPath(parent), basename(path));
  }
}

async function refuseFile({ key, path }: Pick<Place, 'key' | 'path'>): Promise<void> {
  try {
    if ((await stat(path)).isDirectory()) return;
  } catch (error) {
    // The daemon judges missing and unreadable directories: they may come back.
    if (errorCode(error) !== 'ENOTDIR') return;
  }
  throw new ConfigurationError(`${key}: ${path} is not a directory; name a directory`);
}

function refuseOverlap(one: Place, other: Place): void {
  // One that is mounted at two paths (`mount --bind`) has two of them.
  if (one.real === other.real || (one.identity !== null && one.identity === other.identity)) {
    throw new ConfigurationError(`${named(one)} and ${named(other)} are the same directory; ${fixText}`);
  }
  const [inner, outer] = one.real.length > other.real.length ? [one, other] : [other, one];
  if (pathInside(outer.real, inner.real) === null) return;
  throw new ConfigurationError(`${named(inner)} is inside ${named(outer)}; ${fixText}`);
}

const fixText = 'choose separate directories';

function named({ key, path, real }: Place): string {
  return path === real ? `${key} (${path})` : `${key} (${path}, which is ${real})`;
}
