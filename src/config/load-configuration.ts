import { dirname } from 'node:path';

import { sentences } from '../lib/text/sentences.ts';
import { ConfigurationError, errorCode, errorMessage } from '../model/errors.ts';
import type { Settings } from '../model/settings.ts';
import { buildSettings } from './settings/build-settings.ts';
import { checkPaths } from './settings/check-paths.ts';
import { explainIssues } from './settings/explain-issues.ts';
import type { Problem } from './settings/explain-issues.ts';
import { isBroken, isPrefix, parseSettings } from './settings/parse-settings.ts';
import { schemaAt } from './settings/setting-keys.ts';
import { readEnvironmentFile } from './environment/environment-file.ts';
import { applyOverrides, readOverrides } from './environment/overrides.ts';
import type { Override } from './environment/overrides.ts';
import { findSecrets, secretMeantBy } from './secrets/secret-names.ts';
import { findHttpToken, readSecret } from './secrets/read-secrets.ts';
import type { SecretSources } from './secrets/read-secrets.ts';
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
  const { file, trial, missing } = await findSettingsFile(search);
  // Whoever can change the trial configuration can change the program that it ships with.
  const yaml = readYaml(await readText(file, trial ? { INGESTD_TRUST_CONFIG: '1' } : search.env), file);
  const directory = trial ? search.cwd : dirname(file);
  const environmentFile = await readEnvironmentFile(directory, search.env);
  const { overrides, warnings } = readOverrides({ ...environmentFile.values, ...search.env });
  const source = { file, yaml, overrides };

  const merged = applyOverrides(withoutNulls(yaml.value) ?? {}, overrides);
  const input = withoutNulls(merged.value);
  const secretSources = { env: search.env, environmentFile, cwd: search.cwd };
  const { issues, broken, rest } = parseSettings(input);
  const problems = [
    ...findSecrets(input),
    ...merged.problems,
    ...explainIssues(issues, input).filter(isNoSecret),
  ];
  if (rest === null) throw configurationError(source, problems);
  const redisUrl = await readSecret('redisUrl', secretSources);
  const built = buildSettings(rest, { file, directory, env: search.env, redisUrl });
  const { settings } = built;
  const checkFolders = search.checkFolders !== false;
  // What only a stand-in has is nobody's fault.
  const add = (more: readonly Problem[], faulty: readonly (readonly PropertyKey[])[]): number =>
    problems.push(
      ...more.filter(({ path, about = [] }) => ![path, ...about].some((key) => isBroken(key, faulty))),
    );
  add(built.problems, broken);
  const unusable = [...broken, ...built.problems.map(({ path }) => path)];
  add(await checkPaths(settings, { checkFolders }), unusable);
  if (problems.length > 0) {
    // By itself it is a fault only for what opens the address.
    add(await openAddress(settings, secretSources), unusable);
    throw configurationError(source, problems);
  }
  return {
    settings,
    /** True for the configuration that ships with ingestd. */
    trial,
    /** Files that would have been taken, where the trial configuration is for want of one; else empty. */
    missing,
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
  const placed = problems
    .map(({ path, message }) => {
      const variable = overrides.find((override) => isPrefix(override.path, path))?.variable;
      const at = variable === undefined ? yaml.position(path) : undefined;
      const place = variable ?? (at === undefined ? file : `${file}:${at.line}:${at.col}`);
      return { at, whole: `${place}: ${message}`, afterOthers: at && `Line ${at.line}: ${message}` };
    })
    .toSorted((one, other) => compareLines(one.at, other.at))
    .slice(0, maxProblems);
  const more = problems.length > maxProblems ? [`and ${problems.length - maxProblems} more`] : [];
  const isFileNamed = placed[0]?.afterOthers !== undefined;
  const faults = placed.map(({ whole, afterOthers = whole }, index) =>
    (isFileNamed && index > 0 ? afterOthers : whole).replaceAll(/\n\s+/g, ' '),
  );
  const message = [...placed.map(({ whole }) => whole), ...more].join('\n');
  return new ConfigurationError(message, { faults: [...faults, ...more] });
}

type Position = ReturnType<YamlText['position']>;

/** What the environment says comes after the file. */
function compareLines(one: Position, other: Position): number {
  if (one === undefined || other === undefined)
    return Number(one === undefined) - Number(other === undefined);
  return one.line - other.line || one.col - other.col;
}

/** The page would be open to other machines without a token. */
async function openAddress(settings: Settings, sources: SecretSources): Promise<Problem[]> {
  const found = await findHttpToken(settings, sources).catch(() => null);
  const fault = found?.fault;
  if (fault?.subject !== 'http.host') return [];
  const message = sentences([`${fault.subject}: ${fault.message}`, fault.fix]);
  return [{ path: ['http', 'host'], about: [['http', 'port']], message }];
}
