import { closest } from '../../lib/text/closest.ts';
import { excerpt } from '../../lib/text/printable.ts';
import { pathText } from '../../lib/text/describe-issues.ts';
import type { JsonSchema } from '../../lib/text/describe-issues.ts';
import { environmentName, settingAt, settingNodes, snakeCase } from '../settings/setting-keys.ts';
import type { Problem } from '../problem.ts';
import { readYaml } from '../yaml/read-yaml.ts';
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
 * `warnings`: variables that look like a misspelt key; `problems`: paths that do not exist, and invalid YAML.
 */
export function readOverrides(environment: Readonly<Record<string, string | undefined>>) {
  const overrides: Override[] = [];
  const warnings: string[] = [];
  const problems: Problem[] = [];
  // Whole lists first, their places after.
  const variables = Object.entries(environment).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  for (const [variable, text] of variables) {
    if (!variable.startsWith(variablePrefix) || reserved.has(variable) || text === undefined || text === '')
      continue;
    const path = shortNames[variable] ?? pathOf(variable);
    if (path !== null) {
      const { value, faults } = valueOf(text, path);
      if (faults.length === 0) overrides.push({ variable, path, value });
      problems.push(...faults.map((message) => ({ path, variable, message })));
    } else if (variable.includes('__')) {
      const near = meantBy(variable);
      const fix = near === undefined ? 'remove it, or see docs/configuration.md' : `did you mean ${near}?`;
      problems.push({ path: [], variable: excerpt(variable), message: `unknown key; ${fix}` });
    } else {
      warnings.push(...misspelt(variable));
    }
  }
  return { overrides, warnings, problems };
}

/** Null: the file has no such key. */
function pathOf(variable: string): PropertyKey[] | null {
  const path: PropertyKey[] = [];
  for (const part of variable.slice(variablePrefix.length).split('__')) {
    const node = settingAt(path);
    const found =
      node?.items === undefined
        ? Object.keys(node?.properties ?? {}).find((key) => snakeCase(key) === part)
        : /^\d{1,3}$/.test(part)
          ? Number(part)
          : undefined;
    if (found === undefined) return null;
    path.push(found);
  }
  return path.length < 2 ? null : path;
}

/** The variable that a person most likely meant; undefined: none is near. */
function meantBy(variable: string): string | undefined {
  const [, index = '0'] = /__(\d{1,3})(?:__|$)/.exec(variable) ?? [];
  const keys = settingNodes().map(({ path }) => environmentName(path).replace('__0__', `__${index}__`));
  const names = [...reserved, ...Object.keys(shortNames), ...keys];
  const near = closest(
    variable.slice(variablePrefix.length),
    names.map((name) => name.slice(variablePrefix.length)),
  );
  return near === undefined ? undefined : `${variablePrefix}${near}`;
}

function valueOf(
  text: string,
  path: readonly PropertyKey[],
): { readonly value: unknown; readonly faults: readonly string[] } {
  const node = settingAt(path);
  const kinds = node === undefined ? [] : kindsOf(node);
  if (kinds.includes('array') || kinds.includes('object')) {
    const { value, problems } = readYaml(text);
    return { value, faults: problems.map(({ message }) => `${message}; or write it as JSON`) };
  }
  if (kinds.includes('boolean') && /^(true|false)$/i.test(text))
    return { value: text.toLowerCase() === 'true', faults: [] };
  const isNumber = kinds.includes('number') && /^[+-]?\d+(\.\d+)?$/.test(text.trim());
  return { value: isNumber ? Number(text) : text, faults: [] };
}

function kindsOf(node: JsonSchema): string[] {
  if (node.anyOf !== undefined) return node.anyOf.flatMap(kindsOf);
  const types = typeof node.type === 'string' ? [node.type] : [...(node.type ?? [])];
  return types.map((type) => (type === 'integer' ? 'number' : type));
}

/** Kubernetes sets variables of its own that begin like ours: only near misses are worth a word. */
function misspelt(variable: string): string[] {
  if (/^INGESTD_(SERVICE_(HOST|PORT)|PORT)/.test(variable)) return [];
  const near = meantBy(variable);
  return near === undefined ? [] : [`${excerpt(variable)} is not used; did you mean ${near}?`];
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
    const { path } = override;
    const holder = pathText(path.slice(0, -1)) || 'the file';
    const message = `it cannot be applied: ${holder} does not exist or is not a list; set the entries before it first`;
    if (result === undefined) problems.push({ path, message });
    else value = result.value;
  }
  return { value, problems };
}

/** Undefined: something of another kind stands on the way, or a list is too short. */
function withValue(
  node: unknown,
  [key, ...rest]: readonly PropertyKey[],
  value: unknown,
): { value: unknown } | undefined {
  if (key === undefined) return { value };
  const holder = node ?? (typeof key === 'number' ? [] : {});
  if (typeof holder !== 'object' || Array.isArray(holder) !== (typeof key === 'number')) return undefined;
  if (Array.isArray(holder) && Number(key) > holder.length) return undefined;
  const inner = withValue(Reflect.get(holder, key), rest, value);
  if (inner === undefined) return undefined;
  const copy: object = Array.isArray(holder) ? [...(holder as readonly unknown[])] : { ...holder };
  Reflect.set(copy, key, inner.value);
  return { value: copy };
}
