import { type JsonSchema, settingsJsonSchema } from './json-schema.ts';
import { pathText } from '../../lib/text/describe-issues.ts';

/** One key of the configuration, for people. */
export interface SettingKey {
  /** `service.authUrl`, `folders[].path`. */
  readonly key: string;
  /** `INGESTD_FOLDERS__0__PATH` stands for every index. */
  readonly environment: string;
  /** `number`, `remote | embedded`. */
  readonly type: string;
  readonly unit: string | null;
  /** As it is written in YAML; null: none. */
  readonly defaultText: string | null;
  readonly required: boolean;
  readonly description: string;
}

/** Every key of the configuration file in its order there, one row each. */
export function settingKeys(schema: JsonSchema = settingsJsonSchema()): readonly SettingKey[] {
  return rows(schema, []);
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

function row(node: JsonSchema, path: readonly PropertyKey[], required: boolean): SettingKey {
  return {
    key: pathText(path).replaceAll('[0]', '[]'),
    environment: environmentName(path),
    type: typeText(node),
    unit: node.unit ?? null,
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
export function environmentName(path: readonly PropertyKey[]): string {
  return `INGESTD_${path.map((key) => snakeCase(String(key))).join('__')}`;
}

/** `settleMs` → `SETTLE_MS`. */
export function snakeCase(key: string): string {
  return key.replaceAll(/(?<=[a-z0-9])[A-Z]/g, '_$&').toUpperCase();
}
