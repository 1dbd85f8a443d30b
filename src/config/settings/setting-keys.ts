import * as z from 'zod';

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

/** A key of the configuration file, and what may be written there. */
export interface SettingNode {
  readonly path: readonly PropertyKey[];
  readonly node: JsonSchema;
  readonly isRequired: boolean;
}

/** Every key of the configuration file in its order there; 0 stands for every index. */
export function settingNodes(
  node = settingsJsonSchema(),
  path: readonly PropertyKey[] = [],
): readonly SettingNode[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const childPath = [...path, name];
    if (child.description !== undefined)
      return [{ path: childPath, node: child, isRequired: node.required?.includes(name) ?? false }];
    return child.items === undefined
      ? settingNodes(child, childPath)
      : settingNodes(child.items, [...childPath, 0]);
  });
}

/** The environment variable of a key: `INGESTD_TIMING__SETTLE_MS`, `INGESTD_FOLDERS__0__PATH`. */
export function environmentName(path: readonly PropertyKey[]): string {
  return `INGESTD_${path.map((key) => snakeCase(String(key))).join('__')}`;
}

/** `settleMs` → `SETTLE_MS`. */
export function snakeCase(key: string): string {
  return key.replaceAll(/(?<=[a-z0-9])[A-Z]/g, '_$&').toUpperCase();
}
