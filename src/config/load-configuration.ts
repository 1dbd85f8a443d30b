import { hash } from 'node:crypto';
import { dirname } from 'node:path';
import { describeIssues } from '../lib/text/describe-issues.ts';
import type { Redactor } from '../lib/text/redactor.ts';
import { ConfigurationError, errorCode, errorMessage } from '../model/errors.ts';
import { settingsSchema } from '../model/settings.ts';
import type { Settings, SettingsInput } from '../model/settings.ts';
import { readEnvironmentFile } from './environment/environment-file.ts';
import { applyOverrides, readOverrides } from './environment/overrides.ts';
import type { Override } from './environment/overrides.ts';
import { readSecret } from './secrets/read-secrets.ts';
import { findSecrets, secretVariables } from './secrets/secret-names.ts';
import { checkPaths } from './settings/check-paths.ts';
import { settingAt } from './settings/setting-keys.ts';
import { readYaml } from './yaml/read-yaml.ts';
import { findSettingsFile } from './find-places.ts';
import type { SettingsSearch } from './find-places.ts';
import type { Position, Problem } from './problem.ts';
import { readTrustedFile } from './trusted-file.ts';

/** What `loadConfiguration` is given. */
export interface ConfigurationSearch extends SettingsSearch {
  /** False: whether the folders are separate directories is not checked. Default true. */
  readonly checkFolders?: boolean;
  /** Judged in the place of what the file holds. */
  readonly text?: string;
  /** Learns every secret that is read. */
  readonly redactor?: Redactor;
}

const maxProblems = 20;

/**
 * Finds, reads and judges the configuration. Throws ConfigurationError that names the
 * place, the key, the value and the fix of everything that is wrong with it.
 */
export async function loadConfiguration(search: ConfigurationSearch) {
  const { file, trial, missing } = await findSettingsFile(search);
  // Whoever can change the trial configuration can change the program that it ships with.
  const env = trial ? { INGESTD_TRUST_CONFIG: '1' } : search.env;
  const yaml = readYaml(search.text ?? (await readText(file, env)));
  if (yaml.isInvalid) throw configurationError({ file, yaml, overrides: [] }, yaml.problems);
  const directory = trial ? search.cwd : dirname(file);
  const environmentFile = await readEnvironmentFile(directory, search.env);
  const { env: variables, cwd, redactor } = search;
  const secretSources = { configuration: file, env: variables, environmentFile, cwd, redactor };
  const beside = readOverrides(environmentFile.values).overrides;
  const own = withoutNulls(applyOverrides(yaml.value ?? {}, beside).value);
  const given = readOverrides({ ...environmentFile.values, ...search.env });
  const plain = applyOverrides(yaml.value ?? {}, given.overrides);
  // The address of Redis is a secret where it has a password.
  const value = await readSecret('redisUrl', secretSources);
  const variable = secretVariables.redisUrl;
  const secret = value === undefined ? [] : [{ variable, path: ['cluster', 'redisUrl'], value }];
  const overrides = [...given.overrides, ...secret];
  const input = withoutNulls(applyOverrides(plain.value, secret).value);

  const written = [...yaml.problems, ...given.problems, ...plain.problems, ...findSecrets(plain.value)];
  const { data, error } = settingsSchema.safeParse(input);
  const shape = describeIssues(error?.issues ?? [], input, { schema: settingsSchema, written: yaml.written });
  // A secret, or a key that may be meant otherwise, is named once.
  const isSaid = ({ path }: Problem) =>
    written.some((said) => said.path.length === path.length && isPrefix(said.path, path));
  const unsaid = shape.filter((one) => !isSaid(one));
  if (data === undefined || written.length > 0)
    throw configurationError({ file, yaml, overrides }, [...written, ...unsaid]);
  const places = await checkPaths(data, directory, search.env, search.checkFolders !== false);
  // What one key demands of another.
  const together = [...missingAddresses(data), ...repeatedNames(data), ...clusterProblems(data)];
  const further = [...together, ...places.problems];
  if (further.length > 0) throw configurationError({ file, yaml, overrides }, further);
  return {
    settings: settingsOf(data, file, places),
    /** Of the settings that the file and the `.env` beside it give to whoever reads them; of no secret. */
    digest: hash('sha256', JSON.stringify(settingsSchema.safeParse(own).data ?? own ?? null)),
    /** True for the configuration that ships with ingestd. */
    trial,
    /** Files that would have been taken, where the trial configuration is for want of one; else empty. */
    missing,
    secretSources,
    /** What is valid but worth a warning. */
    warnings: [...environmentFile.warnings, ...given.warnings],
  };
}

function missingAddresses({ service }: SettingsInput): Problem[] {
  if (service.mode !== 'remote') return [];
  const variables = { authUrl: 'INGESTD_AUTH_URL', ingestUrl: 'INGESTD_INGEST_URL' } as const;
  return (['authUrl', 'ingestUrl'] as const)
    .filter((key) => service[key] === undefined)
    .map((key) => ({
      path: ['service', key],
      message: `service.${key} is missing; set it in the file or as ${variables[key]}, or set service.mode to embedded for a trial`,
    }));
}

function repeatedNames({ folders }: SettingsInput): Problem[] {
  const names = folders.map(({ name }) => name.normalize('NFC'));
  return folders.flatMap(({ name }, index) => {
    const first = names.indexOf(name.normalize('NFC'));
    if (first === index) return [];
    const message = `folders[${index}].name: ${JSON.stringify(name)} is the name of folders[${first}] too; give each folder a name of its own`;
    return [{ path: ['folders', index, 'name'], message }];
  });
}

function clusterProblems({ cluster, service }: SettingsInput): Problem[] {
  if (cluster === undefined) return [];
  const words = [
    ...(cluster.redisUrl === undefined
      ? ['is missing; give it in the file or as INGESTD_REDIS_URL, or take out cluster for one host']
      : []),
    ...(service.mode === 'embedded'
      ? ['needs service.mode remote: the embedded service is for this machine alone']
      : []),
  ];
  return words.map((fault) => ({ path: ['cluster', 'redisUrl'], message: `cluster.redisUrl ${fault}` }));
}

/** All places are absolute. */
function settingsOf(
  input: SettingsInput,
  file: string,
  { folderPaths, stateDir }: Awaited<ReturnType<typeof checkPaths>>,
): Settings {
  const { service, folders, state } = input;
  const { redisUrl: redis, ...cluster }: Partial<SettingsInput['cluster']> = input.cluster ?? {};
  const isRemote = service.mode === 'remote';
  return {
    ...input,
    file,
    service: {
      ...service,
      authUrl: (isRemote && service.authUrl) || '',
      ingestUrl: (isRemote && service.ingestUrl) || '',
    },
    folders: folders.map((folder, index) => ({ ...folder, path: folderPaths[index] ?? '' })),
    state: { ...state, dir: stateDir },
    // Null: this host is alone.
    cluster: redis === undefined ? null : { standBy: false, ...cluster, redis },
  };
}

/** What is wrong with the text as a whole says nothing of one key. */
function isPrefix(prefix: Problem['path'], path: Problem['path']): boolean {
  return prefix.length > 0 && prefix.every((key, index) => key === path[index]);
}

async function readText(file: string, env: SettingsSearch['env']): Promise<string> {
  try {
    return (await readTrustedFile(file, env)).text;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'configuration') throw error;
    const words = unreadableWords[code ?? ''] ?? `cannot be read: ${errorMessage(error)}`;
    throw new ConfigurationError(`${file} ${words}`, { cause: error });
  }
}

const unreadableWords: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; create it with ingestd init, or name another file with --config',
  ENOTDIR: 'does not exist; create it with ingestd init, or name another file with --config',
  EISDIR: 'is a directory; name the file inside it',
  EACCES: 'cannot be read by this user; change its permissions, or run ingestd as another user',
};

/**
 * A key without a value is a key left out. An unknown key stays, so that it is reported, and so does one inside metadata:
 * there `mode: null` could mean NONE as well as nothing.
 */
function withoutNulls(value: unknown, path: readonly PropertyKey[] = []): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value))
    return value.map((item: unknown, index) => withoutNulls(item, [...path, index]) ?? null);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) => {
      const place = [...path, key];
      return child === null && settingAt(place) !== undefined && !path.includes('metadata')
        ? []
        : [[key, withoutNulls(child, place) ?? null]];
    }),
  );
}

function configurationError(
  {
    file,
    yaml,
    overrides,
  }: { file: string; yaml: ReturnType<typeof readYaml>; overrides: readonly Override[] },
  problems: readonly Problem[],
): ConfigurationError {
  const placed = problems
    .map(({ path, at: place, variable: named, message }) => {
      const overriding = overrides.find((override) => place === undefined && isPrefix(override.path, path));
      const variable = named ?? overriding?.variable;
      const at = variable === undefined ? (place ?? yaml.position(path)) : undefined;
      const where = variable ?? (at === undefined ? file : `${file}:${at.line}:${at.col}`);
      return { at, where, message };
    })
    .toSorted((one, other) => compareLines(one.at, other.at))
    .slice(0, maxProblems);
  const lines = placed.map(({ where, message }) => `${where}: ${message}`);
  const more = problems.length > maxProblems ? [`and ${problems.length - maxProblems} more`] : [];
  return new ConfigurationError([...lines, ...more].join('\n'));
}

/** What the environment says comes after the file. */
function compareLines(one: Position | undefined, other: Position | undefined): number {
  if (one === undefined || other === undefined)
    return Number(one === undefined) - Number(other === undefined);
  return one.line - other.line || one.col - other.col;
}
