import * as z from 'zod';
import { settingsSchema } from './settings-schema.ts';

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

/** The JSON Schema of the configuration file: what a person may write. */
export function settingsJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(settingsSchema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
  return schema as JsonSchema;
}

/** The schema at a path of keys and indexes; undefined where nothing is known. */
export function schemaAt(root: JsonSchema, path: readonly PropertyKey[]): JsonSchema | undefined {
  let node: JsonSchema | undefined = root;
  for (const key of path) {
    if (node === undefined) return undefined;
    node = typeof key === 'number' ? node.items : ownProperty(node.properties, String(key));
  }
  return node;
}

function ownProperty<T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}
