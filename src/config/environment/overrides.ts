import { closest } from '../../lib/text/closest.ts';
import { excerpt } from '../../lib/text/printable.ts';
import { pathText } from '../../lib/text/describe-issues.ts';
import { ConfigurationError, errorMessage } from '../../model/errors.ts';
import { schemaAt, environmentName, snakeCase, settingKeys } from '../settings/setting-keys.ts';
import type { JsonSchema } from '../settings/setting-keys.ts';
import type { Problem } from '../settings/explain-issues.ts';
import { readYaml } from '../yaml.ts';
import { secretVariables } from '../secrets/secret-names.ts';

/** One value that the environment gives to a key. */
export interface Override {
  readonly variable: string;
  readonly path: readonly PropertyKey[];
  readonly value: unknown;
}

const variablePrefix = 'INGESTD_';

/** Names that are shorter than their path. */
const shortNames: Readonly<Record<string, readonly string[]>> = {
  INGESTD_AUTH_URL: ['service', 'authUrl'],
  INGESTD_INGEST_URL: ['service', 'ingestUrl'],
  INGESTD_FOLDERS: ['folders'],
};

/** Names that are not keys of the file. */
const reserved = new Set([
  'INGESTD_CONFIG',
  'INGESTD_TRUST_CONFIG',
  ...Object.values(secretVariables).flatMap((name) => [name, `${name}_FILE`]),
]);

/**
 * Reads `INGESTD_TIMING__SETTLE_MS` and its like: the path in capitals, `__` between levels, digits for list
 * places. Numbers and booleans are read as such, lists and objects as YAML; an empty value counts as not set.
 * `warnings`: variables that look like a misspelt key. Throws ConfigurationError for a path that does not exist.
 */
export function readOverrides(environment: Readonly<Record<string, string | undefined>>) {
  const overrides: Override[] = [];
  const warnings: string[] = [];
  for (const [variable, text] of Object.entries(environment).sort(([a], [b]) => order(a, b))) {
    if (!variable.startsWith(variablePrefix) || reserved.has(variable) || text === undefined || text === '')
      continue;
    const path = shortNames[variable] ?? (variable.includes('__') ? pathOf(variable) : undefined);
    if (path !== undefined) overrides.push({ variable, path, value: valueOf(text, { variable, path }) });
    else warnings.push(...misspelt(variable));
  }
  return { overrides, warnings };
}

/** Whole lists first, their places after. */
function order(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

function pathOf(variable: string): PropertyKey[] {
  const path: PropertyKey[] = [];
  let node = schemaAt(path);
  for (const part of partsOf(variable)) {
    const keys = Object.keys(node?.properties ?? {});
    const found = node?.items === undefined ? keys.find((key) => snakeCase(key) === part) : placeIn(part);
    if (found === undefined) {
      throw new ConfigurationError(`${excerpt(variable)}: unknown key${suggestion(variable, path, keys)}`);
    }
    path.push(found);
    node = schemaAt(path);
  }
  return path;
}

function partsOf(variable: string): readonly string[] {
  return variable.slice(variablePrefix.length).split('__');
}

function placeIn(part: string): number | undefined {
  return /^\d{1,3}$/.test(part) ? Number(part) : undefined;
}

function suggestion(variable: string, path: readonly PropertyKey[], keys: readonly string[]): string {
  const near = corrected(partsOf(variable));
  if (near !== undefined) return `; did you mean ${environmentName(near)}?`;
  return keys.length === 0
    ? `; ${pathText(path)} has no keys below it`
    : `; ${pathText(path) || 'the file'} has ${keys.join(', ')}`;
}

/** The key that was most likely meant, each part by itself; undefined where one of them is near to nothing. */
function corrected(parts: readonly string[], path: readonly PropertyKey[] = []): PropertyKey[] | undefined {
  const [part, ...rest] = parts;
  if (part === undefined) return [...path];
  const node = schemaAt(path);
  const names = new Map(Object.keys(node?.properties ?? {}).map((key) => [snakeCase(key), key]));
  const found = node?.items === undefined ? names.get(closest(part, names.keys()) ?? '') : placeIn(part);
  return found === undefined ? undefined : corrected(rest, [...path, found]);
}

function valueOf(
  text: string,
  { variable, path }: { variable: string; path: readonly PropertyKey[] },
): unknown {
  const node = schemaAt(path);
  const kinds = node === undefined ? [] : kindsOf(node);
  if (kinds.includes('array') || kinds.includes('object')) return structured(text, variable);
  if (kinds.includes('boolean') && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (kinds.includes('number') && /^[+-]?\d+(\.\d+)?$/.test(text.trim())) return Number(text);
  return text;
}

function kindsOf(node: JsonSchema): string[] {
  if (node.anyOf !== undefined) return node.anyOf.flatMap(kindsOf);
  const types = typeof node.type === 'string' ? [node.type] : [...(node.type ?? [])];
  return types.map((type) => (type === 'integer' ? 'number' : type));
}

function structured(text: string, variable: string): unknown {
  try {
    return readYaml(text, variable).value;
  } catch (error) {
    throw new ConfigurationError(`${errorMessage(error)}; write it as JSON`, { cause: error });
  }
}

/** Kubernetes sets variables of its own that begin like ours: only near misses are worth a word. */
function misspelt(variable: string): string[] {
  if (/^INGESTD_(SERVICE_(HOST|PORT)|PORT)/.test(variable)) return [];
  const names = [...reserved, ...Object.keys(shortNames), ...settingKeys().map((key) => key.environment)];
  const near = closest(
    variable.slice(variablePrefix.length),
    names.map((name) => name.slice(variablePrefix.length)),
  );
  return near === undefined
    ? []
    : [`${excerpt(variable)} is not used; did you mean ${variablePrefix}${near}?`];
}

/** The configuration with what the environment says laid over it. A list grows by one place at a time. */
export function applyOverrides(
  input: unknown,
  overrides: readonly Override[],
): { readonly value: unknown; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  let value = input;
  for (const override of overrides) {
    const result = withValue(value, override.path, override.value);
    if (result === undefined) problems.push(misplaced(override));
    else value = result.value;
  }
  return { value, problems };
}

function withValue(
  node: unknown,
  [key, ...rest]: readonly PropertyKey[],
  value: unknown,
): { value: unknown } | undefined {
  if (key === undefined) return { value };
  if (typeof key === 'number') {
    const list: readonly unknown[] = Array.isArray(node) ? node : [];
    if (key > list.length || !(node === undefined || node === null || Array.isArray(node))) return undefined;
    const inner = withValue(list[key], rest, value);
    return inner && { value: [...list.slice(0, key), inner.value, ...list.slice(key + 1)] };
  }
  const record = recordOf(node);
  if (record === undefined) return undefined;
  const name = String(key);
  const inner = withValue(record[name], rest, value);
  return inner && { value: { ...record, [name]: inner.value } };
}

function recordOf(node: unknown): Record<string, unknown> | undefined {
  if (node === undefined || node === null) return {};
  if (typeof node !== 'object' || Array.isArray(node)) return undefined;
  return Object.fromEntries(Object.entries(node));
}

function misplaced({ path }: Override): Problem {
  return {
    path,
    message: `it cannot be applied: ${pathText(path.slice(0, -1)) || 'the file'} does not exist or is not a list; set the entries before it first`,
  };
}
