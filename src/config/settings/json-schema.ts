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

/** The JSON Schema for editors: what the file may hold, units in the texts, and keys left empty allowed as the file allows them. */
export function editorSchema(): object {
  const { $schema, ...rest } = settingsJsonSchema() as JsonSchema & { $schema?: string };
  return {
    $schema,
    title: 'ingestd configuration',
    description:
      'Settings of ingestd. Secrets do not go here: they come from the environment or a .env file.',
    ...forEditors(rest),
  };
}

function forEditors({ unit, defaultWords, description, properties, items, ...rest }: JsonSchema): object {
  const notes = [description, unit && `Unit: ${unit}.`, defaultWords && `Default: ${defaultWords}.`].filter(
    Boolean,
  );
  const empty = rest.default === undefined && defaultWords !== undefined;
  return {
    ...rest,
    ...(empty ? { type: [rest.type, 'null'] } : {}),
    ...(notes.length === 0 ? {} : { description: notes.join(' ') }),
    ...(items === undefined ? {} : { items: forEditors(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, child]) => [key, forEditors(child)]),
          ),
        }),
  };
}
