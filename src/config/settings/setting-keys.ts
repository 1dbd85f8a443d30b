import * as z from 'zod';

import { pathText } from '../../lib/text/describe-issues.ts';
import { settingsSchema } from '../../model/settings.ts';

/** One node of a JSON Schema (draft 7), as far as the settings use it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly unit?: string;
  readonly defaultWords?: string;
}

let jsonSchema: JsonSchema | null = null;

/**
 * The JSON Schema of the configuration file: what a person may write. Made on first use: a usual start does without it.
 */
export function settingsJsonSchema(): JsonSchema {
  jsonSchema ??= z.toJSONSchema(settingsSchema, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  }) as JsonSchema;
  return jsonSchema;
}

/** The schema at a path of keys and indexes of the configuration; undefined where nothing is known. */
export function schemaAt(path: readonly PropertyKey[]): JsonSchema | undefined {
  let node: JsonSchema | undefined = settingsJsonSchema();
  for (const key of path) {
    if (node === undefined) return undefined;
    node = typeof key === 'number' ? node.items : ownProperty(node.properties, String(key));
  }
  return node;
}

function ownProperty<T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

export type SettingKey = ReturnType<typeof row>;

/** Every key of the configuration file in its order there, one row each. */
export function settingKeys(): readonly SettingKey[] {
  return rows(settingsJsonSchema(), []);
}

function rows(node: JsonSchema, path: readonly PropertyKey[]): SettingKey[] {
  if (node.description !== undefined) return [];
  const keys: SettingKey[] = [];
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const childPath = [...path, name];
    if (child.description !== undefined)
      keys.push(row(child, childPath, node.required?.includes(name) ?? false));
    else if (child.items !== undefined) keys.push(...rows(child.items, [...childPath, 0]));
    else keys.push(...rows(child, childPath));
  }
  return keys;
}

/** One key of the configuration, for people. */
function row(node: JsonSchema, path: readonly PropertyKey[], required: boolean) {
  return {
    /** `service.authUrl`, `folders[].path`. */
    key: pathText(path).replaceAll('[0]', '[]'),
    /** `INGESTD_FOLDERS__0__PATH` stands for every index. */
    environment: environmentName(path),
    /** `number`, `remote | embedded`. */
    type: typeText(node),
    unit: node.unit ?? null,
    /** As it is written in YAML; null: none. */
    defaultText: node.defaultWords ?? (node.default === undefined ? null : JSON.stringify(node.default)),
    required,
    description: node.description ?? '',
  };
}

function typeText(node: JsonSchema): string {
  if (node.enum !== undefined) return node.enum.map(String).join(' | ');
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.anyOf !== undefined) return node.anyOf.map(typeText).join(' | ');
  if (node.items !== undefined) return `list of ${typeText(node.items)}`;
  if (node.type === 'integer') return 'whole number';
  return typeof node.type === 'string' ? node.type : 'value';
}

/** The environment variable of a key: `INGESTD_TIMING__SETTLE_MS`, `INGESTD_FOLDERS__0__PATH`. */
function environmentName(path: readonly PropertyKey[]): string {
  return `INGESTD_${path.map((key) => snakeCase(String(key))).join('__')}`;
}

/** `settleMs` → `SETTLE_MS`. */
export function snakeCase(key: string): string {
  return key.replaceAll(/(?<=[a-z0-9])[A-Z]/g, '_$&').toUpperCase();
}
